/** A way to another address, as the router's history describes it. */
export interface Leaving {
  readonly currentLocation: { readonly pathname: string }
  readonly nextLocation: { readonly pathname: string }
  readonly action: 'PUSH' | 'REPLACE' | 'FORWARD' | 'BACK' | 'GO'
}

/**
 * Whether a way to another address would take a dialog away. One that lives in the address closes itself by changing the rest of it, and
 * who is signed out has to leave.
 */
export function takesAway({ currentLocation, nextLocation, action }: Leaving): boolean {
  if (nextLocation.pathname === '/sign-in') return false
  return nextLocation.pathname !== currentLocation.pathname || (action !== 'PUSH' && action !== 'REPLACE')
}

/** What somebody has typed, and whether they were asked if it may be lost. */
export type Typed = 'nothing' | 'words' | 'asked'

/** The guards that hold something now. */
const holding = new Set<TypedGuard>()

/** Whether another page would take away what somebody has typed: a scan that would open it is refused. */
export function isTypedSomewhere(): boolean {
  return [...holding].some((guard) => guard.holds)
}

/** Keeps what was typed until somebody has tried twice to leave it. To send it is no slip, and may open another page at once. */
export class TypedGuard {
  private typed: Typed = 'nothing'
  private sent = false

  constructor(private readonly onChange: (typed: Typed) => void) {}

  /** Something can be lost, also by closing the window. */
  get holds(): boolean {
    return this.typed !== 'nothing' && !this.sent
  }

  /** Has it asked by [isTypedSomewhere] until the answer is called. */
  stand(): () => void {
    holding.add(this)
    return () => holding.delete(this)
  }

  type(): void {
    this.set('words')
  }

  send(): void {
    this.sent = true
    setTimeout(() => {
      this.sent = false
    })
  }

  forget(): void {
    this.set('nothing')
  }

  /** Whether to stay: at the first try, which asks. */
  stays(): boolean {
    if (this.typed !== 'words') return false
    this.set('asked')
    return true
  }

  staysFor(leaving: Leaving): boolean {
    return this.holds && takesAway(leaving) && this.stays()
  }

  private set(typed: Typed): void {
    this.typed = typed
    this.onChange(typed)
  }
}
