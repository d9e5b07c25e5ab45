import { mediaUrl } from '@/api'
import { useText } from '@/i18n'
import { labelOf } from '@/ui/form/values'
import { Icon } from '@/ui/icons'
import { Markdown } from '@/ui/markdown/Markdown'
import type { FormField, Step } from '../queries'

type Medium = Step['media'][number]

export function mediumAddress(medium: Pick<Medium, '_key'>): string | undefined {
  return mediaUrl(`/api/media/${encodeURIComponent(medium._key)}`) ?? undefined
}

export function isPicture(medium: Pick<Medium, 'content_type'>): boolean {
  return /^image\/(png|jpe?g|webp|gif|avif)$/.test(medium.content_type)
}

/** One step: its picture, what to do, what to enter. */
export function StepText({ step, number }: { step: Step; number: number }) {
  const t = useText()
  const pictures = step.media.filter(isPicture)
  const files = step.media.filter((medium) => !isPicture(medium))
  return (
    <li className="tw-step" data-pictures={pictures.length > 0 || undefined}>
      <span className="tw-step-number" aria-hidden="true">
        {number}
      </span>
      <div className="tw-step-body">
        <h3>{step.title}</h3>
        {step.description && <Markdown text={step.description} />}
        {step.form_fields.length > 0 && <Form step={step} />}
        {files.map((file) => (
          <p key={file._key} className="tw-step-file">
            <Icon name="file" />
            <a href={mediumAddress(file)} target="_blank" rel="noreferrer">
              {file.name}
            </a>
          </p>
        ))}
      </div>
      {pictures.length > 0 && (
        <div className="tw-step-pictures">
          {pictures.map((picture) => (
            <a key={picture._key} href={mediumAddress(picture)} target="_blank" rel="noreferrer">
              <img
                src={mediumAddress(picture)}
                alt={t('product.process.picture', { step: step.title, name: picture.name })}
                loading="lazy"
              />
            </a>
          ))}
        </div>
      )}
    </li>
  )
}

function Form({ step }: { step: Step }) {
  const t = useText()
  return (
    <table className="tw-form-read" aria-label={t('product.process.fields', { step: step.title })}>
      <thead>
        <tr>
          <th scope="col">{t('product.process.field')}</th>
          <th scope="col">{t('product.process.field.kind')}</th>
          <th scope="col">{t('product.process.field.rule')}</th>
        </tr>
      </thead>
      <tbody>
        {step.form_fields.map((field) => (
          <Field key={field._key} field={field} />
        ))}
      </tbody>
    </table>
  )
}

function Field({ field }: { field: FormField }) {
  const t = useText()
  const hint = field.hint ?? field.default_hint
  const rules = [
    field.mandatory && t('product.process.field.mandatory'),
    field.multiple && t('product.process.field.multiple'),
    field.hidden && t('product.process.field.hidden'),
    field.default !== null && t('product.process.field.default', { value: field.default }),
  ].filter((rule) => rule !== false)
  return (
    <tr>
      <th scope="row">
        {labelOf(field)}
        {hint && <span className="tw-form-hint">{hint}</span>}
      </th>
      <td>{t(`product.kind.${field.type}`)}</td>
      <td>{rules.length === 0 ? <span className="tw-none">–</span> : rules.join(', ')}</td>
    </tr>
  )
}
