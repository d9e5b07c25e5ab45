import { useEffect, useSyncExternalStore } from 'react'

type Mood = 'desk' | 'floor'

/** Sets the mood of the page while a screen is shown: also dialogs and menus, which lie outside it, follow. */
export function useMood(mood: Mood) {
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

function follow(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-mood'] })
  return () => observer.disconnect()
}

function current(): Mood {
  return document.documentElement.dataset.mood === 'floor' ? 'floor' : 'desk'
}

/** The mood of the screen that is shown, for what stands around it. */
export function useCurrentMood(): Mood {
  return useSyncExternalStore(follow, current)
}
