/*
 * Every page that the console has, with who looks at it and how one knows that it is there.
 */

import type { Page } from 'playwright-core'
import { type Api, body } from './api'

export interface Shown {
  /** Names pictures and tests. */
  readonly name: string
  /** Who looks at it; nobody if it comes before the sign-in. */
  readonly as: string | null
  readonly path: string
  /** What has to be there before the page counts as shown. */
  ready(page: Page): Promise<void>
  /** An operator's page: large, on a tablet. */
  readonly floor?: boolean
}

const people = {
  planner: 'jonas.pichler',
  quality: 'marta.kofler',
  operator: 'anna.weiss',
  engineer: 'elena.ferri',
  warehouse: 'davide.rossi',
} as const

/** Nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .tw-loading, .tw-bone') === null)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

function heading(name: string | RegExp) {
  return async (page: Page) => {
    await page.getByRole('heading', { name }).first().waitFor()
    await settled(page)
  }
}

function words(text: string | RegExp) {
  return async (page: Page) => {
    await page.getByText(text).first().waitFor()
    await settled(page)
  }
}

/** A table with rows in it. */
async function rows(page: Page): Promise<void> {
  await page.locator('tr[data-index="0"] .tw-code').first().waitFor()
  await settled(page)
}

async function keyOfSerial(api: Api, code: string): Promise<string> {
  const [found] = await body(api.GET('/serial-code', { params: { query: { serial_code: code } } }))
  if (!found) throw new Error(`the plant has no ${code}`)
  return found._key
}

async function keys(api: Api) {
  const { detail: jobs } = await body(api.GET('/job', { params: { query: { active: true } } }))
  const job = jobs.find(({ wo_code, phase_alias }) => wo_code === 'WO-0016' && phase_alias === 'Assembly')
  const { detail: orders } = await body(api.GET('/work-order', { params: { query: { search: 'WO-0016' } } }))
  const issues = await body(
    api.GET('/issue', {
      params: { query: { issue_open: true, issue_critical: true, issue_closed: false, issue_non_critical: false } },
    }),
  )
  const tasks = await body(api.GET('/task', { params: { query: { limit: 1 } } }))
  const counts = await body(api.GET('/inventory/count-session', { params: { query: { status: ['started'] } } }))
  return { job, order: orders[0], issue: issues[0], task: tasks[0], count: counts[0] }
}

/** The pages of one plant. */
export async function pagesOf(api: Api): Promise<Shown[]> {
  const { planner, quality, operator, engineer, warehouse } = people
  const { job, order, issue, task, count } = await keys(api)
  const drive = await keyOfSerial(api, 'DU7-00010')
  const lacking = await keyOfSerial(api, 'DU7-00015')
  const module = await keyOfSerial(api, 'PM4-0002')
  const past = new Date(Date.now() - 26 * 86_400_000).toISOString()
  const product = (tab: string, name: string | RegExp): Shown => ({
    name: `product-${tab}`,
    as: engineer,
    path: `/product/ds-250/${tab}`,
    ready: words(name),
  })
  const glance = [
    { name: 'issue', as: quality, path: `/issue/${issue?._key}`, ready: heading(/Torque sensor/) },
    { name: 'task', as: planner, path: `/task/${task?._key}`, ready: heading(/./) },
    { name: 'position', as: warehouse, path: '/position/fg-1', ready: words('What is here') },
    { name: 'count', as: warehouse, path: `/count/${count?._key}`, ready: words('Who counts what') },
  ]
  return [
    { name: 'sign-in', as: null, path: '/sign-in', ready: heading('Sign in') },
    { name: 'home-planner', as: planner, path: '/', ready: words('Orders late or at risk') },
    { name: 'home-quality', as: quality, path: '/', ready: words('Open critical issues') },
    { name: 'home-operator', as: operator, path: '/', ready: words('My queue') },
    { name: 'search', as: quality, path: '/search?q=DU7', ready: words('DU7-00001') },
    { name: 'search-nothing', as: quality, path: '/search?q=XX-404', ready: words('Nothing has this code') },
    { name: 'plan', as: planner, path: '/plan', ready: words('WO-0016') },
    { name: 'orders', as: planner, path: '/plan?view=orders', ready: words('WO-0012') },
    { name: 'order-new', as: planner, path: '/plan?new=true&product=ds-250', ready: words('traced unit by unit') },
    { name: 'order', as: planner, path: `/order/${order?._key}`, ready: heading(/WO-0016/) },
    { name: 'panel', as: operator, path: '/panel', ready: heading('Operator panel'), floor: true },
    { name: 'panel-work', as: operator, path: `/panel/job/${job?._key}`, ready: words('Pause'), floor: true },
    { name: 'serials', as: quality, path: '/serial', ready: rows },
    { name: 'serial', as: quality, path: `/serial/${drive}`, ready: words('History record') },
    { name: 'serial-past', as: quality, path: `/serial/${drive}?as_of=${past}`, ready: words('Back to now') },
    { name: 'serial-lacking', as: quality, path: `/serial/${lacking}`, ready: words('report.pdf is not stored') },
    { name: 'trace-begin', as: quality, path: '/trace', ready: words('Made last') },
    { name: 'trace', as: quality, path: `/trace?serial=${module}`, ready: words('DS7-00001') },
    { name: 'trace-table', as: quality, path: `/trace?serial=${module}&view=table`, ready: words('DS7-00001') },
    { name: 'recall', as: quality, path: '/recall?product=pm-4&code=PM4-00*', ready: words('units are affected') },
    { name: 'products', as: engineer, path: '/product', ready: words('DS-250') },
    product('data', 'DS-250'),
    product('process', 'Pairing'),
    product('bom', 'BT-500'),
    { ...product('where-used', 'DS-250'), path: '/product/pm-4/where-used' },
    product('versions', /[Vv]ersion/),
    product('stock', 'DS-250'),
    product('serials', 'DS7-00001'),
    product('documents', /pdf/),
    product('figures', 'DS-250'),
    ...glance,
    { name: 'not-found', as: planner, path: '/no/such/page', ready: heading('There is no such page') },
  ]
}
