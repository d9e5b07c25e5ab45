/*
 * Records for the tests of this folder.
 */

import { job as anyJob } from '../../fixtures'
import type { Declared, Job, JobDetail, Line, Step, Unit } from '../model'

export function step(key: string, rest: Partial<Step> = {}): Step {
  const base = { _id: `Step/${key}`, _key: key, _rev: '_1', title: key, description: null, trashed: null, media: [] }
  return { ...base, type: 'instruction', form_fields: [], ...rest }
}

export function job(rest: Partial<Job> = {}): Job {
  const base = anyJob()
  return {
    ...base,
    _id: 'Job/j',
    _key: 'j',
    wo_key: 'o',
    product_key: 'lamp',
    product_code: 'LAMP',
    operation_key: 'op',
    parameters: { ...base.parameters, step_check: true, step_check_force_order: true, production_batch_qt: 2 },
    last_phase: false,
    traceability_level: 'complete',
    assigned_to: 'anna',
    ...rest,
  }
}

export function jobDetail(rest: Partial<JobDetail> = {}): JobDetail {
  const more = {
    wo_bom: [],
    issue_count: 0,
    message_count: 0,
    product_notes: null,
    phase_notes: null,
    order_notes: null,
  }
  return { ...job(), ...more, ...rest }
}

export function line(component: string, qt: number | string, rest: Partial<Line> = {}): Line {
  return {
    component_key: component,
    component_code: component.toUpperCase(),
    component_description: null,
    qt,
    phase_key: 'p1',
    phase_name: 'Assembly',
    traceability_level: 'complete',
    manage_inventory: true,
    consumption_options: {
      consumption_position_key: null,
      consumption_position_mandatory: false,
      minimum_quantity_if_negative: false,
      minimum_quantity: null,
    },
    extra: null,
    declared_serials: [],
    ...rest,
  }
}

export function unit(key: string, code: string | null = key.toUpperCase(), counter: string | null = 'c'): Unit {
  return { serial_key: key, serial_code: code, counter_key: counter, active: true }
}

export function declared(key: string, component: string, parent: string | null): Declared {
  return {
    _key: key,
    code: key.toUpperCase(),
    phase_key: 'p1',
    component_key: component,
    parent_serial_key: parent,
    batch_key: 'b',
    link_key: `l-${key}`,
  }
}
