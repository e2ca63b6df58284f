import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { useFieldError } from './form';
import { Icon } from './icons';

interface Described {
  name: string;
  label: string;
  hint?: ReactNode;
}

type FieldProps = Described & Omit<InputHTMLAttributes<HTMLInputElement>, 'name'>;

/** A labelled input of a form. */
export function Field({ name, label, hint, ...input }: FieldProps): ReactNode {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(attributes) => <input type="text" {...input} {...attributes} name={name} />}
    </Labelled>
  );
}

/** Several lines, such as a list with one entry a line. */
export function LinesField({
  defaultValue,
  rows = 3,
  ...described
}: Described & { defaultValue: string; rows?: number }): ReactNode {
  return (
    <Labelled {...described}>
      {(attributes) => (
        <textarea {...attributes} name={described.name} defaultValue={defaultValue} rows={rows} spellCheck={false} />
      )}
    </Labelled>
  );
}

export function SelectField({
  options,
  defaultValue,
  ...described
}: Described & { options: Readonly<Record<string, string>>; defaultValue: string }): ReactNode {
  return (
    <Labelled {...described}>
      {(attributes) => (
        <select {...attributes} name={described.name} defaultValue={defaultValue}>
          {Object.entries(options).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A password, which can be shown. */
export function PasswordField({ name, label, hint, isNew = false }: Described & { isNew?: boolean }): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(attributes) => (
        <span className="with-button">
          <input
            {...attributes}
            type={isShown ? 'text' : 'password'}
            name={name}
            autoComplete={isNew ? 'new-password' : 'current-password'}
            minLength={isNew ? 12 : undefined}
            maxLength={128}
            required
            spellCheck={false}
          />
          <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            Show<span className="hidden"> the {label.toLowerCase()}</span>
          </button>
        </span>
      )}
    </Labelled>
  );
}

/** One of several choices, each with an explanation. */
export function ChoiceField({
  name,
  label,
  options,
  defaultValue,
}: {
  name: string;
  label: string;
  options: readonly { value: string; text: string; hint: string; isDisabled?: boolean }[];
  defaultValue: string;
}): ReactNode {
  const id = useId();
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      {options.map(({ value, text, hint, isDisabled }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={name}
            value={value}
            defaultChecked={value === defaultValue}
            disabled={isDisabled}
            aria-describedby={`${id}-${value}`}
          />
          <span>
            <strong>{text}</strong>
            <span id={`${id}-${value}`} className="muted">
              {hint}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ControlAttributes {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

function Labelled({
  name,
  label,
  hint,
  children,
}: Described & { children: (attributes: ControlAttributes) => ReactNode }): ReactNode {
  const id = useId();
  const error = useFieldError(name);
  const described = [...(error === undefined ? [] : [`${id}-error`]), ...(hint === undefined ? [] : [`${id}-hint`])];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
      })}
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          <Icon name="bad" />
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
