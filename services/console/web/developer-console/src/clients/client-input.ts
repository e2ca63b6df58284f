import { InvalidInput, textOf } from '../components/form';

/** The entries of a field with one a line. */
export function linesOf(data: FormData, name: string): string[] {
  return textOf(data, name)
    .split(/\s+/)
    .filter((line) => line !== '');
}

/** @throws InvalidInput */
export function requiredLines(data: FormData, name: string, problem: string): string[] {
  const lines = linesOf(data, name);
  if (lines.length === 0) throw new InvalidInput({ [name]: problem });
  return lines;
}
