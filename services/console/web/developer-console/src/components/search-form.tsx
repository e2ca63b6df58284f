import { type ReactNode, useId } from 'react';

export interface SearchFormProps {
  label: string;
  /** What is searched for now. */
  text: string;
  search: (text: string) => void;
}

/** Searches a list; the address keeps the text. */
export function SearchForm({ label, text, search }: SearchFormProps): ReactNode {
  const id = useId();
  return (
    <search>
      <form
        key={text}
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          search(String(new FormData(event.currentTarget).get('text') ?? '').trim());
        }}
      >
        <label htmlFor={id}>{label}</label>
        <span className="with-button">
          <input id={id} name="text" type="search" defaultValue={text} autoComplete="off" spellCheck={false} />
          <button type="submit">Find</button>
        </span>
      </form>
    </search>
  );
}
