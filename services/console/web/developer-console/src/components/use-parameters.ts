import { useSearchParams } from 'react-router';

/** @param changes by the names of parameters; undefined or '' takes one away */
export type ChangeParameters = (changes: Readonly<Record<string, string | undefined>>) => void;

/** The parameters of the address, and a way to change some of them. */
export function useParameters(): [URLSearchParams, ChangeParameters] {
  const [parameters, setParameters] = useSearchParams();
  const change: ChangeParameters = (changes) => {
    const next = new URLSearchParams(parameters);
    for (const [name, value] of Object.entries(changes))
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    setParameters(next);
  };
  return [parameters, change];
}
