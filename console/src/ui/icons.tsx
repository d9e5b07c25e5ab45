import type { SVGProps } from 'react'

/**
 * Our own icons, drawn on a grid of 16 with a line of 1.5. `fill` parts are filled shapes, `line` parts are strokes.
 * States come first, then actions, then things.
 */
const SHAPES = {
  // States
  todo: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z' },
  uncoded: {
    line: 'M6.6 2.7a5.5 5.5 0 0 1 2.8 0M12 4.3a5.5 5.5 0 0 1 1.4 2.4M13.4 9.4a5.5 5.5 0 0 1-1.4 2.4M9.4 13.3a5.5 5.5 0 0 1-2.8 0M4 11.8a5.5 5.5 0 0 1-1.4-2.4M2.6 6.7A5.5 5.5 0 0 1 4 4.3',
  },
  running: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z', fill: 'M8 4.5a3.5 3.5 0 0 1 0 7Z' },
  paused: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM6.5 6v4M9.5 6v4' },
  waiting: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5.2V8l1.8 1.3' },
  done: {
    fill: 'M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5Zm3.1 4.6-3.7 4.3a.75.75 0 0 1-1.1.05L4.9 9.3a.75.75 0 0 1 1.06-1.06l.82.82 3.18-3.7a.75.75 0 0 1 1.14.98Z',
  },
  critical: {
    fill: 'M5.6 1.75h4.8l3.85 3.85v4.8l-3.85 3.85H5.6L1.75 10.4V5.6L5.6 1.75ZM8 4.4a.8.8 0 0 0-.8.85l.2 3.3a.6.6 0 0 0 1.2 0l.2-3.3A.8.8 0 0 0 8 4.4Zm0 5.6a.85.85 0 1 0 0 1.7.85.85 0 0 0 0-1.7Z',
  },
  scrapped: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM4.2 11.8l7.6-7.6' },
  deleted: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM6 6l4 4M10 6l-4 4' },
  stock: { line: 'M2.5 5.2 8 2.5l5.5 2.7v5.6L8 13.5l-5.5-2.7V5.2ZM2.7 5.3 8 8l5.3-2.7M8 8v5.3' },
  built: { line: 'M2.5 2.5h11v11h-11zM5.8 5.8h4.4v4.4H5.8z' },
  shipped: {
    line: 'M1.8 4h7.4v7H1.8zM9.2 6.5h2.9l2.1 2.3V11h-5zM4.5 12.6a1.2 1.2 0 1 0 0-.1M11.3 12.6a1.2 1.2 0 1 0 0-.1',
  },
  unknown: {
    line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM6.4 6.4a1.6 1.6 0 1 1 2.4 1.4c-.5.3-.8.6-.8 1.1M8 10.9v.1',
  },
  flagged: { line: 'M4 14V2.5M4 3h8l-1.8 2.8L12 8.6H4' },
  priority: { line: 'm3.5 8 4.5-4.5L12.5 8M3.5 13 8 8.5l4.5 4.5' },
  extra: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5.5v5M5.5 8h5' },
  late: { line: 'M8 4a5 5 0 1 0 0 10A5 5 0 0 0 8 4ZM8 6.5V9l1.6 1M3 2 1.6 3.4M13 2l1.4 1.4' },
  first: { line: 'M8 13V4M4.5 7.2 8 3.7l3.5 3.5M4 1.8h8' },
  // Actions
  copy: { line: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2' },
  check: { line: 'm3.5 8.5 3 3 6-7' },
  plus: { line: 'M8 3v10M3 8h10' },
  minus: { line: 'M3 8h10' },
  cross: { line: 'm4 4 8 8M12 4l-8 8' },
  search: { line: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4l3.1 3.1' },
  scan: { line: 'M2.5 5V3h2.3M13.5 5V3h-2.3M2.5 11v2h2.3M13.5 11v2h-2.3M5 5.5v5M7 5.5v5M9 5.5v5M11 5.5v5' },
  filter: { line: 'M2.5 4h11M4.5 8h7M6.5 12h3' },
  columns: { line: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10' },
  download: { line: 'M8 2.5v7.8M4.8 7.3 8 10.5l3.2-3.2M3 13.5h10' },
  upload: { line: 'M8 10.5V2.7M4.8 5.7 8 2.5l3.2 3.2M3 13.5h10' },
  print: { line: 'M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z' },
  edit: { line: 'M3 13l.6-2.8 7-7a1.4 1.4 0 0 1 2 0l.2.2a1.4 1.4 0 0 1 0 2l-7 7L3 13Z' },
  trash: { line: 'M3 4.5h10M6.3 4.3V2.6h3.4v1.7M4.3 4.8l.6 8.6h6.2l.6-8.6M6.8 7v4M9.2 7v4' },
  play: { fill: 'M5 3.2a.7.7 0 0 1 1.06-.6l7 4.8a.7.7 0 0 1 0 1.2l-7 4.8A.7.7 0 0 1 5 12.8V3.2Z' },
  pause: { line: 'M5.5 3.5v9M10.5 3.5v9' },
  undo: { line: 'M5.5 3 2.7 5.8l2.8 2.8M3 5.8h6.2a3.8 3.8 0 0 1 0 7.5H6' },
  reload: { line: 'M13.3 8A5.3 5.3 0 1 1 11.6 4.1M13.4 2v3h-3' },
  more: {
    fill: 'M3.5 6.8a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4Zm4.5 0a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4Zm4.5 0a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4Z',
  },
  camera: { line: 'M2.5 5h2.6l1-1.7h3.8l1 1.7h2.6v8h-11zM8 6.7a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4Z' },
  drag: {
    fill: 'M6 3a1 1 0 1 1 0 2 1 1 0 0 1 0-2Zm4 0a1 1 0 1 1 0 2 1 1 0 0 1 0-2ZM6 7a1 1 0 1 1 0 2 1 1 0 0 1 0-2Zm4 0a1 1 0 1 1 0 2 1 1 0 0 1 0-2ZM6 11a1 1 0 1 1 0 2 1 1 0 0 1 0-2Zm4 0a1 1 0 1 1 0 2 1 1 0 0 1 0-2Z',
  },
  link: {
    line: 'M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.3 6.7a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9',
  },
  up: { line: 'm4 9.8 4-4 4 4' },
  down: { line: 'm4 6.2 4 4 4-4' },
  left: { line: 'm9.8 4-4 4 4 4' },
  right: { line: 'm6.2 4 4 4-4 4' },
  // Things
  serial: { line: 'M3 3.5v9M5.2 3.5v9M8 3.5v9M10 3.5v9M13 3.5v9' },
  product: { line: 'M2.5 5.2 8 2.5l5.5 2.7v5.6L8 13.5l-5.5-2.7V5.2ZM2.7 5.3 8 8l5.3-2.7M8 8v5.3' },
  order: { line: 'M4 2.5h8v11H4zM6.2 5.5h3.6M6.2 8h3.6M6.2 10.5h2' },
  position: {
    line: 'M8 14s4.5-4 4.5-7.3a4.5 4.5 0 0 0-9 0C3.5 10 8 14 8 14ZM8 5a1.7 1.7 0 1 0 0 3.4A1.7 1.7 0 0 0 8 5Z',
  },
  task: { line: 'M3 3h10v10H3zM5.5 8l1.8 1.8L10.7 6' },
  issue: { line: 'M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.2v.1' },
  person: { line: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4ZM3 13.5c.4-2.7 2.4-4 5-4s4.6 1.3 5 4' },
  tag: { line: 'M2.5 2.5H8l5.5 5.5-5.5 5.5L2.5 8zM5.4 5.4v.1' },
  file: { line: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3' },
  picture: { line: 'M2.5 3.5h11v9h-11zM2.7 11l3-3 2.5 2.5 2-2 3 2.8M10.5 6.2v.1' },
  calendar: { line: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v2.5M10.5 2v2.5' },
  clock: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.2l2 1.3' },
  home: { line: 'M2.5 7.5 8 2.8l5.5 4.7M4 6.5v7h8v-7M6.8 13.3V10h2.4v3.3' },
  plan: { line: 'M2.5 4h6M5 8h6.5M8 12h5.5' },
  panel: { line: 'M2.5 3h11v8h-11zM6 13.5h4M8 11v2.5' },
  trace: { line: 'M3.5 8h2.5l3-3.5h1.5M6 8l3 3.5h1.5M2 8h.1M12 4.5a1.3 1.3 0 1 0 0-.1M12 11.6a1.3 1.3 0 1 0 0-.1' },
  shield: { line: 'M8 2 3.2 3.8V8c0 3 2 5 4.8 6 2.8-1 4.8-3 4.8-6V3.8L8 2Z' },
  sun: {
    line: 'M8 5.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4ZM8 1.8v1M8 13.2v1M1.8 8h1M13.2 8h1M3.6 3.6l.7.7M11.7 11.7l.7.7M3.6 12.4l.7-.7M11.7 4.3l.7-.7',
  },
  moon: { line: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z' },
  globe: {
    line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM2.7 8h10.6M8 2.7c3 3.3 3 7.3 0 10.6M8 2.7c-3 3.3-3 7.3 0 10.6',
  },
  sound: { line: 'M2.5 6.2h2.3L8 3.5v9L4.8 9.8H2.5zM10.5 6a2.8 2.8 0 0 1 0 4M12.3 4.2a5.4 5.4 0 0 1 0 7.6' },
  mute: { line: 'M2.5 6.2h2.3L8 3.5v9L4.8 9.8H2.5zM10.8 6.3l3 3.4M13.8 6.3l-3 3.4' },
  leave: { line: 'M9.5 2.5h-6v11h6M7 8h6.5M11 5.3 13.7 8 11 10.7' },
  lock: { line: 'M3.5 7.2h9v6.3h-9zM5.5 7V5.2a2.5 2.5 0 0 1 5 0V7' },
  live: {
    line: 'M8 7a1 1 0 1 0 0 2 1 1 0 0 0 0-2ZM5.2 5.2a4 4 0 0 0 0 5.6M10.8 5.2a4 4 0 0 1 0 5.6M3.2 3.2a6.8 6.8 0 0 0 0 9.6M12.8 3.2a6.8 6.8 0 0 1 0 9.6',
  },
  info: { line: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 7.5V11M8 5.2v.1' },
  keyboard: { line: 'M1.8 4h12.4v8H1.8zM4.3 6.5h.1M6.8 6.5h.1M9.2 6.5h.1M11.7 6.5h.1M5 9.5h6' },
  message: { line: 'M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z' },
} as const satisfies Record<string, { line?: string; fill?: string }>

export type IconName = keyof typeof SHAPES

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'name'> {
  readonly name: IconName
  /** In pixels, or any CSS length. */
  readonly size?: number | string
}

/** An icon beside a word. It says nothing by itself: give a control without a word an `aria-label`. */
export function Icon({ name, size = 16, ...rest }: IconProps) {
  const shape: { line?: string; fill?: string } = SHAPES[name]
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false" {...rest}>
      {shape.fill && <path d={shape.fill} fill="currentColor" fillRule="evenodd" />}
      {shape.line && (
        <path
          d={shape.line}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
    </svg>
  )
}
