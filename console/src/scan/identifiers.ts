/** What a GS1 application identifier says about the data behind it. */
export interface IdentifierData {
  readonly ai: string
  /** Always that long; otherwise at most. */
  readonly fixed: boolean
  readonly length: number
  readonly digits: boolean
}

type Rule = readonly [ai: RegExp, kind: 'n' | 'n..' | 'an' | 'an..', length: number]

/** The identifiers of the GS1 General Specifications that occur on parts and packages. `n` digits, `an` any; `..` up to. */
const RULES: readonly Rule[] = [
  [/^00/, 'n', 18],
  [/^0[12]/, 'n', 14],
  [/^10/, 'an..', 20],
  [/^1[1-35-7]/, 'n', 6],
  [/^20/, 'n', 2],
  [/^2[12]/, 'an..', 20],
  [/^235/, 'an..', 28],
  [/^24[01]/, 'an..', 30],
  [/^242/, 'n..', 6],
  [/^243/, 'an..', 20],
  [/^25[01]/, 'an..', 30],
  [/^253/, 'an..', 30],
  [/^254/, 'an..', 20],
  [/^255/, 'n..', 25],
  [/^30/, 'n..', 8],
  [/^3[1-6]\d\d/, 'n', 6],
  [/^37/, 'n..', 8],
  [/^39[0-5]\d/, 'n..', 18],
  [/^40[0134]/, 'an..', 30],
  [/^402/, 'n', 17],
  [/^41[0-7]/, 'n', 13],
  [/^420/, 'an..', 20],
  [/^421/, 'an..', 12],
  [/^42[2-7]/, 'n..', 15],
  [/^70\d\d/, 'an..', 30],
  [/^71\d/, 'an..', 20],
  [/^7[2-9]\d\d/, 'an..', 30],
  [/^8003/, 'an..', 30],
  [/^8004/, 'an..', 30],
  [/^8005/, 'n', 6],
  [/^8006/, 'n', 18],
  [/^8008/, 'n..', 12],
  [/^801[78]/, 'n', 18],
  [/^80\d\d/, 'an..', 90],
  [/^81\d\d/, 'an..', 70],
  [/^8200/, 'an..', 70],
  [/^90/, 'an..', 30],
  [/^9[1-9]/, 'an..', 90],
]

/** The identifier that a text begins with, or undefined. */
export function dataOf(text: string): IdentifierData | undefined {
  for (const [pattern, kind, length] of RULES) {
    const ai = pattern.exec(text)?.[0]
    if (ai !== undefined) return { ai, fixed: !kind.endsWith('..'), length, digits: kind.startsWith('n') }
  }
  return undefined
}
