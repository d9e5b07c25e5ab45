import { navigation } from '@/app/areas'
import { visible } from '@/app/guard'
import { useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { Go } from '@/ui/Go'
import { PageHead } from '@/ui/PageHead'

/** Where everybody begins: the ways into the console that are open to them. */
export default function HomePage() {
  const t = useText()
  const session = useSession()
  const ways = visible(navigation, session.can).filter((item) => item.to !== '/')
  return (
    <>
      <PageHead title={fullName(session)} />
      <ul>
        {ways.map((item) => (
          <li key={item.to}>
            <Go to={item.to}>{t(item.label)}</Go>
          </li>
        ))}
      </ul>
    </>
  )
}
