import type { ReactNode } from 'react';
import type { ArrivedCount } from '../../../../src/connect-pages/screens/screens';
import { byKind } from '../texts/kinds';
import { Text, useWording } from '../texts/texts';

/** How much the record has of each kind, and from which years. */
export function Arrived({ counts }: { counts: readonly ArrivedCount[] }): ReactNode {
  const { texts } = useWording();
  const words = texts.places.arrived;
  if (counts.length === 0) return null;
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <p className="muted">
        <Text of={words.means} />
      </p>
      <ul className="counts arrived">
        {byKind(counts).map(([kind, ofKind]) => (
          <li key={kind}>
            <KindCounts name={texts.kinds[kind]} counts={ofKind} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A kind with its total. Of years, if there are any, the first and the last one, and all of them in a table. */
function KindCounts({ name, counts }: { name: string; counts: readonly ArrivedCount[] }): ReactNode {
  const { language, texts } = useWording();
  const words = texts.places.arrived;
  const number = new Intl.NumberFormat(language);
  const rows = byYear(counts);
  const total = number.format(rows.reduce((sum, [, count]) => sum + count, 0));
  const years = rows.flatMap(([year]) => year ?? []);
  const [last, first] = [years[0], years.at(-1)];
  if (first === undefined || last === undefined)
    return (
      <>
        <span>{name}</span>
        <span>{total}</span>
      </>
    );
  return (
    <details>
      <summary>
        <span>
          {name}
          <span className="years">
            {first === last ? first : words.years.replace('{from}', String(first)).replace('{to}', String(last))}
          </span>
        </span>
        <span>{total}</span>
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.year}</th>
            <th scope="col">{words.count}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([year, count]) => (
            <tr key={year ?? ''}>
              <th scope="row">{year ?? words.noDate}</th>
              <td>{number.format(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** The sums of all types, latest year first, and what has no date last. */
function byYear(counts: readonly ArrivedCount[]): [year: number | undefined, count: number][] {
  const sums = new Map<number | undefined, number>();
  for (const { year, count } of counts) sums.set(year, (sums.get(year) ?? 0) + count);
  return [...sums].sort(([one = -Infinity], [other = -Infinity]) => other - one);
}
