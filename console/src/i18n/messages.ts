/** What a message file may hold: a text, or its plural forms, chosen by the value `count`. */
export interface PluralForms {
  readonly one: string
  readonly other: string
  readonly many?: string
}

export type Message = string | PluralForms
export type Messages = Readonly<Record<string, Message>>

/** What a translation of an English file has to hold: the same keys, each of the same kind. */
export type Translation<English extends Messages> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : PluralForms
}

/** The same for several files. */
export type Translations<English extends Readonly<Record<string, Messages>>> = {
  readonly [Area in keyof English]: Translation<English[Area]>
}

type PlaceholdersOf<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceholdersOf<Rest> : never

/** The names in braces that a message needs values for. */
export type Placeholders<M> = M extends string
  ? PlaceholdersOf<M>
  : M extends { readonly one: infer One; readonly other: infer Other }
    ? PlaceholdersOf<One> | PlaceholdersOf<Other> | 'count'
    : never
