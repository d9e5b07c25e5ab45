import { expect, it } from 'vitest'
import { EventParser, type StreamEvent } from './event-parser'

const text = [
  'retry: 3000',
  '',
  'id: 7',
  'event: serial',
  'data: {"seq":7}',
  '',
  ':',
  '',
  'event: user:mia',
  'data:{"seq":8,',
  'data: "text":"a: b"}',
  '',
  ':',
  'id: 12',
  '',
  'data',
  '',
  'data: never ended',
]

const events: StreamEvent[] = [
  { type: 'serial', data: '{"seq":7}', id: '7' },
  { type: 'user:mia', data: '{"seq":8,\n"text":"a: b"}', id: '' },
  { type: 'message', data: null, id: '12' },
  { type: 'message', data: '', id: '' },
]

it.each([
  ['\n', 'line feeds'],
  ['\r\n', 'both'],
  ['\r', 'carriage returns'],
])('reads events with lines that end with %j (%s), in pieces of any size', (end) => {
  const whole = text.join(end)
  for (const size of [1, 2, 3, 7, whole.length]) {
    const parser = new EventParser()
    const read: StreamEvent[] = []
    for (let at = 0; at < whole.length; at += size) read.push(...parser.read(whole.slice(at, at + size)))
    expect(read).toEqual(events)
  }
})

it('hands an event on with the line that ends it', () => {
  const parser = new EventParser()
  expect(parser.read('data: a\n')).toEqual([])
  expect(parser.read('\n')).toHaveLength(1)
})

it('ignores a mark of the byte order, comments and fields that it does not know', () => {
  const parser = new EventParser()
  expect(parser.read('\uFEFF: hello\nfoo: bar\nretry: 1\n\ndata: a\n\n')).toEqual([
    { type: 'message', data: 'a', id: '' },
  ])
})
