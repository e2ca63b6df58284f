import { type ReactNode, type SubmitEvent, createContext, useContext, useRef, useState } from 'react';
import { ApiError } from '../api/request';
import { sentence } from '../text';
import { BusyContext } from './busy';
import { Failure } from './notice';

/** What is wrong, by the name of a field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** An input that is refused before it is sent. */
export class InvalidInput extends Error {
  constructor(readonly fields: FieldErrors) {
    super('the input is invalid');
  }
}

const ErrorsContext = createContext<FieldErrors>({});

/** What is wrong with a field of the form around it. */
export const useFieldError = (name: string): string | undefined => useContext(ErrorsContext)[name];

export interface FormProps {
  /** Sends the input. What it throws is shown: at a field, or above the buttons. */
  submit: (data: FormData) => Promise<void>;
  /** The fields that codes of errors are about. */
  fieldOf?: Readonly<Record<string, string>>;
  /** The label of the button. */
  action: string;
  /** `plain` on a page of several forms, none of which is what the page is for. */
  kind?: 'primary' | 'plain' | 'primary danger';
  /** Further buttons and links. */
  more?: ReactNode;
  children?: ReactNode;
}

/** A form that names errors at their fields, and moves the focus to the first. */
export function Form({ submit, fieldOf = {}, action, kind = 'primary', more, children }: FormProps): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failure, setFailure] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const { setBusy } = useContext(BusyContext);

  const refuse = (fields: FieldErrors): void => {
    setErrors(fields);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const send = async (data: FormData): Promise<void> => {
    setFailure(undefined);
    setErrors({});
    setSending(true);
    setBusy(true);
    try {
      await submit(data);
    } catch (error) {
      const fields = fieldsOf(error, fieldOf, data);
      if (Object.keys(fields).length > 0) refuse(fields);
      else setFailure(error);
    } finally {
      setSending(false);
      setBusy(false);
    }
  };
  const check = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // A form in a dialog is, for React, in the form around the dialog.
    event.stopPropagation();
    if (isSending) return;
    const fields = problemsOf(event.currentTarget);
    if (Object.keys(fields).length > 0) refuse(fields);
    else void send(new FormData(event.currentTarget));
  };
  return (
    <ErrorsContext value={errors}>
      <form ref={form} noValidate onSubmit={check}>
        {children}
        {failure !== undefined && <Failure error={failure} />}
        <div className="actions">
          <button type="submit" className={kind} aria-disabled={isSending}>
            {action}
          </button>
          {more}
        </div>
      </form>
    </ErrorsContext>
  );
}

function problemsOf(form: HTMLFormElement): FieldErrors {
  const fields: Record<string, string> = {};
  for (const input of form.elements)
    if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) {
      const problem = problemOf(input);
      if (problem !== undefined && input.name !== '') fields[input.name] ??= problem;
    }
  return fields;
}

function problemOf(input: HTMLInputElement | HTMLTextAreaElement): string | undefined {
  const { validity, minLength, title, value } = input;
  const label = input.labels?.[0]?.textContent ?? '';
  if (validity.valueMissing || (input.required && value.trim() === '')) return `Enter the ${lowered(label)}.`;
  if (validity.typeMismatch && input.type === 'email') return 'Enter an address such as name@example.org.';
  if (minLength > 0 && [...value].length < minLength) return `Use at least ${minLength} characters.`;
  return validity.patternMismatch ? title : undefined;
}

/** A label within a sentence; abbreviations keep their case. */
function lowered(label: string): string {
  return /^[A-Z][a-z-]/.test(label) ? label[0]!.toLowerCase() + label.slice(1) : label;
}

/** The API names fields as `name: what is wrong; other: what is wrong`. */
function fieldsOf(error: unknown, fieldOf: Readonly<Record<string, string>>, data: FormData): FieldErrors {
  if (error instanceof InvalidInput) return error.fields;
  if (!(error instanceof ApiError)) return {};
  const field = fieldOf[error.code];
  if (field !== undefined) return { [field]: sentence(error.message) };
  if (error.code !== 'invalid_request') return {};
  const problems = error.message.split('; ').map((problem) => /^([a-z_]+)[\w.[\]]*: (.*)$/.exec(problem));
  const named = problems.flatMap((match) => (match?.[1] !== undefined && data.has(match[1]) ? [match] : []));
  // One that no field of the form is about would be lost.
  if (named.length < problems.length) return {};
  return Object.fromEntries(named.map(([, name, problem]) => [name, sentence(problem ?? '')]));
}

export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
