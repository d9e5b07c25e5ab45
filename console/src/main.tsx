import '@/ui/mantine'
import '@/ui/tokens.css'
import '@/app/app.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '@/api'
import { Boundary } from '@/app/errors'
import { router } from '@/app/router'
import { firstLocale, loadLocale, TextProvider } from '@/i18n'
import { startLine } from '@/live'
import { startOutbox } from '@/outbox'
import { startSession } from '@/session/browser'
import { theme, variables } from '@/ui/theme'

const colorScheme = localStorageColorSchemeManager({ key: 'tracewright.scheme' })

/** Before the first paint, so that nobody is dazzled by a white page at night. */
function paintScheme(): void {
  const chosen = colorScheme.get('auto')
  const dark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light'
}

async function start(): Promise<void> {
  paintScheme()
  startLine()
  startOutbox()
  startSession()
  const locale = firstLocale()
  await loadLocale(locale)
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no root')
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
        deduplicateCssVariables={false}
      >
        <QueryClientProvider client={queryClient}>
          <TextProvider initial={locale}>
            <Boundary>
              <RouterProvider router={router} />
            </Boundary>
          </TextProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

void start()
