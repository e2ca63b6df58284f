import { type ReactNode, useId } from 'react';

/** A choice of what a list shows. @param options the names of the values; '' is the default */
export function Filter({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: Readonly<Record<string, string>>;
  value: string;
  choose: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => choose(target.value)}>
        {Object.entries(options).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
