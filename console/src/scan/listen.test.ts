import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenForScans } from './listen'

/* A page of a few controls, as far as the listener looks at them. */

class Control extends EventTarget {
  isContentEditable = false
  name = ''
  form = null
  heard: string[] = []
  readonly ownerDocument = { querySelectorAll: () => controls.filter((one) => one instanceof Input) }

  closest() {
    return null
  }

  override dispatchEvent(event: Event): boolean {
    return send(event, this)
  }
}

/** Values lie behind accessors of the prototype, as in a browser. */
class Input extends Control {
  private held = { value: '', checked: false }

  constructor(readonly type: string) {
    super()
  }

  get value() {
    return this.held.value
  }
  set value(value: string) {
    this.held.value = value
  }
  get checked() {
    return this.held.checked
  }
  set checked(checked: boolean) {
    this.held.checked = checked
  }
}

/** A text as React controls it: an input event tells the page of a new value, unless it was set by the page's own accessor. */
function controlled(): { field: Input; told: () => string } {
  const field = new Input('text')
  let seen = ''
  let told = ''
  Object.defineProperty(field, 'value', {
    get: () => Reflect.get(Input.prototype, 'value', field),
    set: (value: string) => {
      seen = value
      write(field, value)
    },
  })
  page.addEventListener('input', ({ target }) => {
    if (target !== field || field.value === seen) return
    seen = field.value
    told = seen
  })
  return { field, told: () => told }
}

/** As the browser does, and nobody who has put an accessor of their own over it notices. */
function write(field: Input, value: string): void {
  Reflect.set(Input.prototype, 'value', value, field)
}

class TextArea extends Control {}

class Select extends Control {
  private at = 0

  constructor(readonly options: readonly string[]) {
    super()
  }

  get selectedIndex() {
    return this.at
  }
  set selectedIndex(at: number) {
    this.at = at
  }
}

class Button extends Control {}

let page: EventTarget
let controls: Control[]
let scans: string[]
let now: number
let stop: () => void

/** Sends an event through the window to an element; false if somebody has prevented it. */
function send(event: Event, target: Control): boolean {
  Object.defineProperty(event, 'target', { value: target })
  const stopped = vi.spyOn(event, 'stopImmediatePropagation')
  page.dispatchEvent(event)
  if (stopped.mock.calls.length === 0) target.heard.push(event.type)
  return !event.defaultPrevented
}

function keyEvent(type: string, key: string): Event {
  const event = new Event(type, { bubbles: true, cancelable: true })
  const flags = { key, repeat: false, isComposing: false, ctrlKey: false, altKey: false, metaKey: false }
  for (const [name, value] of Object.entries({ ...flags, timeStamp: now }))
    Object.defineProperty(event, name, { value })
  return event
}

/** What a browser makes of a key that nobody has prevented. */
function act(key: string, target: Control): void {
  const change = (type: string) => target.dispatchEvent(new Event(type, { bubbles: true }))
  if (target instanceof Select) {
    const at = target.options.findIndex((option) => option.toLowerCase().startsWith(key.toLowerCase()))
    if (at < 0 || at === target.selectedIndex) return
    target.selectedIndex = at
    change('input')
    change('change')
  } else if (target instanceof Input && target.type === 'checkbox') {
    if (key === ' ') target.checked = !target.checked
  } else if (target instanceof Input) {
    if (key.length !== 1) return
    write(target, target.value + key)
    change('input')
  } else if (target instanceof Button && (key === ' ' || key === 'Enter')) target.heard.push('pressed')
}

function type(target: Control, keys: readonly string[], pause = 8): void {
  for (const key of keys) {
    now += pause
    vi.advanceTimersByTime(pause)
    const down = send(keyEvent('keydown', key), target)
    const up = send(keyEvent('keyup', key), target)
    if (down && up) act(key, target)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  page = new EventTarget()
  controls = []
  scans = []
  now = 1000
  vi.stubGlobal('window', page)
  vi.stubGlobal('Element', Control)
  vi.stubGlobal('HTMLElement', Control)
  vi.stubGlobal('HTMLInputElement', Input)
  vi.stubGlobal('HTMLTextAreaElement', TextArea)
  vi.stubGlobal('HTMLSelectElement', Select)
  stop = listenForScans((text) => scans.push(text))
})

afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const people = ['Nobody', 'Anna', 'Marta', 'Paolo']
const scanned = (code: string) => [...code, 'Enter']

describe('a scan', () => {
  it('ticks no box and presses no button', () => {
    const box = new Input('checkbox')
    const button = new Button()
    for (const control of [box, button]) type(control, scanned('PM4 SP01'))
    expect(scans).toEqual(['PM4 SP01', 'PM4 SP01'])
    expect(box.checked).toBe(false)
    expect(button.heard).not.toContain('pressed')
  })

  it('presses nothing if its code is too short to be one', () => {
    const button = new Button()
    type(button, scanned('A12'))
    now += 1000
    type(button, scanned('7'))
    expect(button.heard).not.toContain('pressed')
    expect(scans).toEqual([])
  })

  it('chooses nothing in a list, and the page never hears of it', () => {
    const list = new Select(people)
    list.selectedIndex = 2
    type(list, scanned('PM4 SP01'))
    vi.advanceTimersByTime(1000)
    type(list, scanned('A1'))
    vi.advanceTimersByTime(1000)
    expect(list.selectedIndex).toBe(2)
    expect(list.heard).not.toContain('change')
    expect(list.heard).not.toContain('input')
    expect(scans).toEqual(['PM4 SP01'])
  })

  it('is taken out of a text again', () => {
    const text = new Input('text')
    text.value = 'Screw '
    type(text, scanned('P-0001'))
    expect(text.value).toBe('Screw ')
    expect(scans).toEqual(['P-0001'])
  })

  it('leaves nothing of itself in a text that React controls, and takes nothing of what is typed next', () => {
    const { field, told } = controlled()
    type(field, ['1', '.'], 150)
    now += 1000
    type(field, scanned('P-0001'))
    expect([field.value, told()]).toEqual(['1.', '1.'])
    now += 1000
    type(field, ['2', '5'], 150)
    expect([field.value, told()]).toEqual(['1.25', '1.25'])
  })

  it('puts back what it has ticked or chosen with its first key', () => {
    const box = new Input('checkbox')
    type(box, scanned(' AB12'))
    expect(box.checked).toBe(false)
    expect(box.heard).toContain('click')
    const [one, other] = [new Input('radio'), new Input('radio')]
    controls = [one, other]
    one.checked = true
    type(other, ['A'])
    one.checked = false
    other.checked = true
    type(other, scanned('B12'))
    expect(one.checked).toBe(true)
  })
})

describe('a scan whose keys come late', () => {
  /** The first key, a pause, and the rest. */
  const late = (target: Control, code: string, pause: number) => {
    type(target, [...code].slice(0, 1))
    now += pause
    vi.advanceTimersByTime(pause)
    type(target, [...[...code].slice(1), 'Enter'])
  }

  it('is whole where nothing takes letters', () => {
    for (const pause of [120, 200, 350]) late(new Button(), 'WO-0015', pause)
    expect(scans).toEqual(['WO-0015', 'WO-0015', 'WO-0015'])
    type(new Button(), scanned('TS1-0010'), 90)
    expect(scans.at(-1)).toBe('TS1-0010')
  })

  it('is whole in the scan box, and leaves nothing there', () => {
    const box = Object.assign(new Input('text'), { id: 'tw-scan-box' })
    late(box, 'WO-0015', 350)
    expect(scans).toEqual(['WO-0015'])
    expect(box.value).toBe('')
  })

  it('does not take what a hand has written', () => {
    const box = Object.assign(new Input('text'), { id: 'tw-scan-box' })
    type(box, [...'pump'], 150)
    now += 600
    type(box, scanned('WO-0015'))
    const text = new Input('text')
    late(text, '5.3WO-0015', 120)
    expect(scans).toEqual(['WO-0015', '.3WO-0015'])
    expect([box.value, text.value]).toEqual(['pump', '5'])
    type(new Button(), scanned('pump'), 150)
    expect(scans).toHaveLength(2)
  })

  it('is two if two controls got it', () => {
    type(new Button(), ['W', 'O'], 90)
    now += 100
    type(new Button(), scanned('-0015'))
    expect(scans).toEqual(['-0015'])
  })
})

describe('a hand', () => {
  it('presses buttons and ticks boxes', () => {
    const button = new Button()
    type(button, [' ', 'Enter', ' '], 90)
    expect(button.heard.filter((one) => one === 'pressed')).toHaveLength(3)
    const box = new Input('checkbox')
    type(box, [' ', ' ', ' '], 60)
    expect(box.checked).toBe(true)
  })

  it('chooses in a list by its letters, also if it rolls two', () => {
    const list = new Select(people)
    type(list, ['p'], 200)
    expect(list.selectedIndex).toBe(3)
    vi.advanceTimersByTime(100)
    expect(list.heard.filter((one) => one === 'change')).toEqual(['change'])
    now += 100
    type(list, ['x', 'm'], 28)
    type(list, ['Tab'], 60)
    now += 1000
    vi.advanceTimersByTime(1000)
    expect(list.selectedIndex).toBe(2)
    expect(list.heard.filter((one) => one === 'change')).toHaveLength(2)
  })

  it('writes short words into a text as fast as it likes', () => {
    const text = new Input('text')
    type(text, ['o', 'k', 'Enter'], 20)
    expect(text.value).toBe('ok')
    expect(text.heard.filter((one) => one === 'keydown')).toHaveLength(3)
  })
})
