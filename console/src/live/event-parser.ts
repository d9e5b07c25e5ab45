/*
 * Reads the text of an event stream as it arrives, in pieces of any size: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

export interface StreamEvent {
  /** The name of the event, `message` if it has none. */
  type: string
  /** Null if it only says how far the stream has come. */
  data: string | null
  /** Empty if the event has none. */
  id: string
}

const lineEnd = /\r\n|\n|\r/

export class EventParser {
  private rest = ''
  private begun = false
  private type = ''
  private data: string[] = []
  private id = ''

  /** The events that are complete with this piece. */
  read(piece: string): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const line of this.lines(piece)) {
      if (line !== '') this.field(line)
      else events.push(...this.event())
    }
    return events
  }

  private lines(piece: string): string[] {
    let text = this.rest + piece
    if (!this.begun && text !== '') {
      this.begun = true
      if (text.startsWith('\uFEFF')) text = text.slice(1)
    }
    // The line feed that belongs to a carriage return may come with the next piece.
    const held = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, held).split(lineEnd)
    this.rest = (lines.pop() ?? '') + text.slice(held)
    return lines
  }

  private field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') this.type = value
    else if (name === 'data') this.data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.id = value
  }

  private event(): StreamEvent[] {
    const { type, data, id } = this
    this.type = ''
    this.data = []
    this.id = ''
    if (data.length === 0 && id === '') return []
    return [{ type: type === '' ? 'message' : type, data: data.length === 0 ? null : data.join('\n'), id }]
  }
}
