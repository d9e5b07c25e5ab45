/** Where a table has no room for everything: a tablet, or a small window. */
export const NARROW = '(max-width: 1199px)'
