/** What a new password lacks, as far as it shows before the service judges. */
export type PasswordLack = 'short' | 'long' | 'differ'

const shortest = 10
const longest = 256

export function lacksOf(password: string, again: string): PasswordLack[] {
  const length = [...password].length
  const lacks: PasswordLack[] = []
  if (length < shortest) lacks.push('short')
  if (length > longest) lacks.push('long')
  if (password !== again) lacks.push('differ')
  return lacks
}
