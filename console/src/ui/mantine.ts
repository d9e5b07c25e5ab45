/**
 * The styles of the Mantine components that the console uses on its first page, and no others: the whole style sheet
 * would weigh more than all our own. To use a further component, import its sheet here if the first page shows it,
 * else beside the screen that does, after the sheets of the components it is made of:
 *   import '@mantine/core/styles/Tabs.css'
 * The parts of a component are listed in Mantine's docs ("CSS files list"); a missing sheet shows at once as an
 * unstyled control.
 */
import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import '@mantine/core/styles/global.css'
import '@mantine/core/styles/UnstyledButton.css'
import '@mantine/core/styles/VisuallyHidden.css'
import '@mantine/core/styles/ScrollArea.css'
import '@mantine/core/styles/Paper.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/CloseButton.css'
import '@mantine/core/styles/Loader.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/Input.css'
import '@mantine/core/styles/InlineInput.css'
import '@mantine/core/styles/PasswordInput.css'
import '@mantine/core/styles/Checkbox.css'
import '@mantine/core/styles/Combobox.css'
import '@mantine/core/styles/Button.css'
import '@mantine/core/styles/ActionIcon.css'
import '@mantine/core/styles/Menu.css'
import '@mantine/core/styles/Tooltip.css'
