import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

function tokens(selector: string): Map<string, string> {
  const from = css.indexOf(selector)
  const body = css.slice(css.indexOf('{', from) + 1, css.indexOf('}', from))
  return new Map([...body.matchAll(/--tw-([\w-]+):\s*(#[0-9a-f]{6})/g)].map((hit) => [String(hit[1]), String(hit[2])]))
}

function luminance(colour: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

const STATES = ['todo', 'running', 'waiting', 'done', 'critical', 'built', 'scrapped']
const GROUNDS = ['paper', 'sunken', 'raised', 'hover', 'selected']

for (const scheme of ['light', 'dark']) {
  const colours = tokens(`:root[data-mantine-color-scheme="${scheme}"]`)
  const between = (one: string, other: string) => {
    const [a, b] = [colours.get(one), colours.get(other)]
    if (a === undefined || b === undefined) throw new Error(`no colour ${one} or ${other}`)
    return contrast(a, b)
  }

  describe(`the ${scheme} scheme`, () => {
    it('has text that can be read on every ground (4.5:1)', () => {
      for (const ground of GROUNDS) {
        for (const ink of ['ink', 'ink-soft', 'ink-faint', 'accent', 'accent-strong', ...STATES]) {
          expect(between(ink, ground), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5)
        }
      }
    })

    it('has text that can be read on tints and fills (4.5:1)', () => {
      for (const state of STATES) {
        expect(between(state, `${state}-tint`), `${state} on its tint`).toBeGreaterThanOrEqual(4.5)
        expect(between('ink', `${state}-tint`), `ink on ${state}-tint`).toBeGreaterThanOrEqual(7)
      }
      for (const name of ['accent', 'critical']) {
        expect(between(`on-${name}`, name), `on ${name}`).toBeGreaterThanOrEqual(4.5)
        expect(between(`on-${name}`, `${name}-strong`), `on ${name}-strong`).toBeGreaterThanOrEqual(4.5)
        expect(between(`${name}-strong`, `${name}-tint`), `${name}-strong on its tint`).toBeGreaterThanOrEqual(4.5)
      }
    })

    it('has borders of controls that can be seen (3:1)', () => {
      for (const ground of ['paper', 'raised', 'sunken']) {
        expect(between('edge', ground), `edge on ${ground}`).toBeGreaterThanOrEqual(3)
      }
    })

    it('is readable at arm’s length (ink 12:1 on paper)', () => {
      expect(between('ink', 'paper')).toBeGreaterThanOrEqual(12)
    })
  })
}
