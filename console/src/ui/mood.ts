import { useEffect } from 'react'

/** Sets the mood of the page while a screen is shown: also dialogs and menus, which lie outside it, follow. */
export function useMood(mood: 'desk' | 'floor') {
  useEffect(() => {
    const root = document.documentElement
    const before = root.dataset.mood
    root.dataset.mood = mood
    return () => {
      if (before === undefined) delete root.dataset.mood
      else root.dataset.mood = before
    }
  }, [mood])
}
