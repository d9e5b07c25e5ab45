/*
 * Pictures of pages with at most 256 colours: pages have few, so nothing is lost that an eye could see, and the files become a third of
 * what the browser makes.
 */

import { deflateSync, inflateSync } from 'node:zlib'

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue; one pixel after the other. */
  readonly pixels: Uint8Array
}

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])

function* chunks(png: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += length + 12
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

/** Undoes the filter of each line. */
function lines(raw: Buffer, height: number, stride: number, step: number): Uint8Array {
  const out = new Uint8Array(height * stride)
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)]
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x >= step ? (out[at - step] ?? 0) : 0
      const up = y > 0 ? (out[at - stride] ?? 0) : 0
      const corner = x >= step && y > 0 ? (out[at - stride - step] ?? 0) : 0
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0
      out[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess
    }
  }
  return out
}

/** A PNG of eight bits a colour, with or without transparency: what browsers make. */
function read(png: Buffer): Picture {
  const parts = [...chunks(png)]
  const head = parts.find(({ type }) => type === 'IHDR')?.data
  if (!head) throw new Error('this is no PNG')
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const step = head[9] === 6 ? 4 : 3
  const raw = inflateSync(Buffer.concat(parts.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  const all = lines(raw, height, width * step, step)
  const pixels = new Uint8Array(width * height * 3)
  for (let at = 0; at < width * height; at += 1) {
    for (let part = 0; part < 3; part += 1) pixels[at * 3 + part] = all[at * step + part] ?? 0
  }
  return { width, height, pixels }
}

interface Box {
  readonly colours: readonly number[]
  readonly weight: number
}

const part = (colour: number, shift: number) => (colour >> shift) & 255

/** The widest of red, green and blue in a box, and how wide it is. */
function spread(colours: readonly number[]): { shift: number; width: number } {
  const widths = [16, 8, 0].map((shift) => {
    let [least, most] = [255, 0]
    for (const colour of colours) {
      const value = part(colour, shift)
      if (value < least) least = value
      if (value > most) most = value
    }
    return { shift, width: most - least }
  })
  return widths.reduce((best, one) => (one.width > best.width ? one : best))
}

function split(box: Box, counts: ReadonlyMap<number, number>): Box[] {
  const { shift } = spread(box.colours)
  const sorted = [...box.colours].sort((a, b) => part(a, shift) - part(b, shift))
  const count = (colour: number) => counts.get(colour) ?? 0
  let [sum, at] = [0, 0]
  while (at < sorted.length - 1 && sum + count(sorted[at] ?? 0) <= box.weight / 2) {
    sum += count(sorted[at] ?? 0)
    at += 1
  }
  const cut = Math.max(at, 1)
  const weigh = (colours: number[]) => ({ colours, weight: colours.reduce((all, one) => all + count(one), 0) })
  return [weigh(sorted.slice(0, cut)), weigh(sorted.slice(cut))]
}

function mean({ colours, weight }: Box, counts: ReadonlyMap<number, number>): number {
  const sum = (shift: number) =>
    Math.round(colours.reduce((all, one) => all + part(one, shift) * (counts.get(one) ?? 0), 0) / weight)
  return (sum(16) << 16) | (sum(8) << 8) | sum(0)
}

/** The palette by median cut; the colours of large areas stay exactly as they are. */
function paletteOf(counts: ReadonlyMap<number, number>): { palette: number[]; places: Map<number, number> } {
  const byCount = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour)
  const exact = byCount.slice(0, 64)
  const rest = byCount.slice(64)
  const places = new Map(exact.map((colour, at) => [colour, at]))
  let boxes: Box[] = rest.length === 0 ? [] : [{ colours: rest, weight: rest.length }]
  const even = new Map(rest.map((colour) => [colour, Math.sqrt(counts.get(colour) ?? 1)]))
  boxes = boxes.map(({ colours }) => ({ colours, weight: colours.reduce((all, one) => all + (even.get(one) ?? 0), 0) }))
  while (boxes.length > 0 && boxes.length < 192) {
    const widest = boxes
      .filter(({ colours }) => colours.length > 1)
      .reduce<Box | null>((best, one) => {
        const reach = (box: Box) => spread(box.colours).width * Math.sqrt(box.weight)
        return best === null || reach(one) > reach(best) ? one : best
      }, null)
    if (widest === null) break
    boxes = [...boxes.filter((box) => box !== widest), ...split(widest, even)]
  }
  boxes.forEach((box, at) => {
    for (const colour of box.colours) places.set(colour, exact.length + at)
  })
  return { palette: [...exact, ...boxes.map((box) => mean(box, even))], places }
}

const table = Array.from({ length: 256 }, (_, start) => {
  let value = start
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})

function checksum(data: Buffer): number {
  let value = 0xffffffff
  for (const byte of data) value = (table[(value ^ byte) & 255] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(checksum(named))
  return Buffer.concat([length, named, sum])
}

function write({ width, height }: Picture, palette: readonly number[], indices: Uint8Array): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [part(colour, 16), part(colour, 8), part(colour, 0)]))
  const raw = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y += 1) raw.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const body = deflateSync(raw, { level: 9, memLevel: 9 })
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The same picture with a palette. */
export function withPalette(png: Buffer): Buffer {
  const picture = read(png)
  const { pixels } = picture
  const at = (pixel: number) =>
    ((pixels[pixel * 3] ?? 0) << 16) | ((pixels[pixel * 3 + 1] ?? 0) << 8) | (pixels[pixel * 3 + 2] ?? 0)
  const counts = new Map<number, number>()
  const count = picture.width * picture.height
  for (let pixel = 0; pixel < count; pixel += 1) counts.set(at(pixel), (counts.get(at(pixel)) ?? 0) + 1)
  const { palette, places } = paletteOf(counts)
  const indices = new Uint8Array(count)
  for (let pixel = 0; pixel < count; pixel += 1) indices[pixel] = places.get(at(pixel)) ?? 0
  return write(picture, palette, indices)
}
