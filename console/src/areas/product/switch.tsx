interface SwitchProps<T extends string> {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly value: T
  readonly onChange: (value: T) => void
}

/** A few choices side by side, one of them in force. */
export function Switch<T extends string>({ label, options, value, onChange }: SwitchProps<T>) {
  return (
    <fieldset className="tw-switch" aria-label={label} style={{ border: 0, margin: 0 }}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
