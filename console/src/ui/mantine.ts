/**
 * The styles of the Mantine components on the first page, and no others: the whole style sheet would weigh more than all our own. What
 * most other pages use is in mantine-more.ts. A component that only one screen shows has its sheet imported there, after the sheets of
 * the components it is made of:
 *   import '@mantine/core/styles/Tabs.css'
 * The parts of a component are listed in Mantine's docs ("CSS files list"); a missing sheet shows at once as an unstyled control. The
 * variables are not among them: the provider makes those that the theme has.
 */
import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/global.css'
import '@mantine/core/styles/UnstyledButton.css'
import '@mantine/core/styles/VisuallyHidden.css'
import '@mantine/core/styles/CloseButton.css'
import '@mantine/core/styles/Loader.css'
import '@mantine/core/styles/Input.css'
import '@mantine/core/styles/PasswordInput.css'
import '@mantine/core/styles/Button.css'
import '@mantine/core/styles/ActionIcon.css'
