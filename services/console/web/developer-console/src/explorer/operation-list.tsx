import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Link } from 'react-router';
import { countText } from '../text';
import type { Operation } from './operations';

interface OperationListProps {
  operations: readonly Operation[];
  /** The key of the one that is shown. */
  shown: string | undefined;
  addressOf: (key: string) => string;
}

/** All operations by their groups. The arrow keys move from the field of the search through the list. */
export function OperationList({ operations, shown, addressOf }: OperationListProps): ReactNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ method, path, summary, key, group }) => {
    const searched = `${method} ${path} ${summary} ${key} ${group}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const groups = [...new Set(found.map(({ group }) => group))];
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    const isInField = event.target instanceof HTMLInputElement;
    if (step === undefined || (isInField && event.key !== 'ArrowDown')) return;
    const places = [...(list.current?.querySelectorAll<HTMLElement>('input, a') ?? [])];
    const at = places.findIndex((place) => place === document.activeElement);
    event.preventDefault();
    places[Math.max(0, Math.min(places.length - 1, at + step))]?.focus();
  };
  return (
    <div className="operations" ref={list} onKeyDown={move}>
      <search>
        <label htmlFor={id}>Find an operation</label>
        <input
          id={id}
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <p className="hint" role="status">
          {countText(found.length, 'operation')}
        </p>
      </search>
      <nav aria-label="Operations">
        {groups.map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <ul className="plain">
              {found
                .filter((operation) => operation.group === group)
                .map(({ key, method, summary }) => (
                  <li key={key}>
                    <Link to={addressOf(key)} aria-current={key === shown ? 'page' : undefined}>
                      <span className="method">{method}</span>
                      <span>{summary}</span>
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </nav>
    </div>
  );
}
