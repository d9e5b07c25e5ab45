import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core'

/** The one accent hue, from its tint to its shade. */
const accent: MantineColorsTuple = [
  '#e6f5f6',
  '#cfe9eb',
  '#a3d4d8',
  '#74bec5',
  '#4dabb4',
  '#2f9aa5',
  '#16848f',
  '#0a6f7a',
  '#07565f',
  '#043f46',
]

/** Our neutral greys in Mantine's order, for what it paints itself: menus, ticks, placeholders. */
const gray: MantineColorsTuple = [
  '#f7f9f9',
  '#f0f4f4',
  '#e4e9e9',
  '#d5dcdc',
  '#b9c3c4',
  '#829093',
  '#596a6c',
  '#465658',
  '#2c393a',
  '#172122',
]
const dark: MantineColorsTuple = [
  '#e8eeee',
  '#b0bec0',
  '#95a5a7',
  '#728284',
  '#3a4748',
  '#253031',
  '#1a2223',
  '#111718',
  '#0c1112',
  '#080c0d',
]

const px = (size: number) => `${size / 16}rem`

/** Mantine's theme on our tokens: see tokens.css for the colours themselves. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 4 },
  colors: { accent, gray, dark },
  fontFamily: 'var(--tw-font)',
  fontFamilyMonospace: 'var(--tw-mono)',
  fontSizes: { xs: px(12), sm: px(13), md: px(14), lg: px(16), xl: px(20) },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.5' },
  headings: { fontFamily: 'var(--tw-font)', fontWeight: '600' },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '20px' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.35 },
        transitionProps: { duration: 120 },
        // Its head is a <header>, which would be a second banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end', transitionProps: { duration: 80 } } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 80 } } },
    Tooltip: { defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } },
  },
  variantColorResolver: (input) => {
    const base = defaultVariantColorsResolver(input)
    const name = input.color === 'red' ? 'critical' : 'accent'
    if (input.color === 'gray' && (input.variant === 'subtle' || input.variant === 'transparent')) {
      return { ...base, hover: 'var(--tw-hover)', color: 'var(--tw-ink-soft)' }
    }
    const ours = input.color === undefined || input.color === 'accent' || input.color === 'red'
    if (!ours) return base
    if (input.variant === 'filled') {
      return {
        ...base,
        background: `var(--tw-${name})`,
        hover: `var(--tw-${name}-strong)`,
        color: `var(--tw-on-${name})`,
      }
    }
    if (input.variant === 'light') {
      return {
        ...base,
        background: `var(--tw-${name}-tint)`,
        hover: `var(--tw-${name}-tint)`,
        color: `var(--tw-${name}-strong)`,
      }
    }
    if (input.variant === 'subtle' || input.variant === 'transparent') {
      return { ...base, hover: 'var(--tw-hover)', color: `var(--tw-${name})` }
    }
    return base
  },
})

/** Hands our tokens to Mantine's own variables, the same names in both schemes. */
export const variables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--tw-paper)',
    '--mantine-color-text': 'var(--tw-ink)',
    '--mantine-color-bright': 'var(--tw-ink)',
    '--mantine-color-dimmed': 'var(--tw-ink-faint)',
    '--mantine-color-placeholder': 'var(--tw-ink-faint)',
    '--mantine-color-anchor': 'var(--tw-accent)',
    '--mantine-color-error': 'var(--tw-critical)',
    '--mantine-color-default': 'var(--tw-raised)',
    '--mantine-color-default-hover': 'var(--tw-hover)',
    '--mantine-color-default-color': 'var(--tw-ink)',
    '--mantine-color-default-border': 'var(--tw-edge)',
    '--mantine-color-disabled': 'var(--tw-sunken)',
    '--mantine-color-disabled-color': 'var(--tw-ink-faint)',
    '--mantine-color-disabled-border': 'var(--tw-line)',
    '--mantine-primary-color-filled': 'var(--tw-accent)',
    '--mantine-primary-color-contrast': 'var(--tw-on-accent)',
    '--mantine-color-accent-filled': 'var(--tw-accent)',
    '--mantine-color-accent-filled-hover': 'var(--tw-accent-strong)',
    '--mantine-shadow-md': 'var(--tw-shadow)',
  }
  return { variables: {}, light: shared, dark: shared }
}
