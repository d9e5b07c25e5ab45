/*
 * Search parameters are texts, a repeated one a list of texts. The router would read `007` or a long code of digits as a number, and lose
 * digits; the routes decide what a text means.
 */

export type SearchTexts = Record<string, string | string[]>

export function parseSearch(query: string): SearchTexts {
  const found: SearchTexts = {}
  const params = new URLSearchParams(query)
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name)
    found[name] = values.length === 1 ? (values[0] ?? '') : values
  }
  return found
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') params.append(name, String(one))
    }
  }
  const query = params.toString()
  return query === '' ? '' : `?${query}`
}

/** For `validateSearch`: one text, or undefined. */
export function text(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' && one !== '' ? one : undefined
}

/** For `validateSearch`: a list of texts. */
export function texts(value: unknown): string[] | undefined {
  const all = (Array.isArray(value) ? value : [value]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  )
  return all.length === 0 ? undefined : all
}

/** For `validateSearch`: one of the choices, or undefined. */
export function oneOf<const T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === text(value))
}

/** For `validateSearch`: a day as `YYYY-MM-DD`, or undefined. */
export function day(value: unknown): string | undefined {
  const found = text(value)
  return found !== undefined && /^\d{4}-\d\d-\d\d$/.test(found) && !Number.isNaN(Date.parse(found)) ? found : undefined
}

/** For `validateSearch`: true if the parameter is `true`. */
export function flag(value: unknown): true | undefined {
  return value === true || text(value) === 'true' ? true : undefined
}
