import { QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './faults'

/** Asks again twice if no answer came or the service was busy; what it refuses, it refuses again. */
export function worthRetrying(failures: number, error: unknown): boolean {
  return error instanceof ApiFailure && error.temporary && failures < 2
}

/** Waits as long as the service asks for, otherwise a second, then two. */
export function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof ApiFailure ? error.retryAfter : undefined
  return asked !== undefined ? Math.min(asked, 10) * 1000 : 1000 * 2 ** failures
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: worthRetrying,
      retryDelay,
      // A browser's own idea of being online is often wrong inside a plant: always try, and show what happens.
      networkMode: 'always',
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
