/**
 * The styles of the Mantine components that the pages of the areas, dialogs and menus are made of. They come after the first page: see
 * mantine.ts.
 */
import '@mantine/core/styles/ScrollArea.css'
import '@mantine/core/styles/Paper.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/InlineInput.css'
import '@mantine/core/styles/Checkbox.css'
import '@mantine/core/styles/Combobox.css'
import '@mantine/core/styles/Menu.css'
import '@mantine/core/styles/Tooltip.css'
import './mantine-more.css'
