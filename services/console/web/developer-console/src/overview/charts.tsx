import { nice, sum, ticks } from 'd3-array';
import { type ReactNode, useId } from 'react';
import { dayText, numberText } from '../text';

export interface Series {
  name: string;
  /** Differs in brightness, and `part` by its stripes: never by the colour alone. */
  look: 'whole' | 'part' | 'none';
  /** Of each day. */
  counts: readonly number[];
}

const height = 100;
const slot = 10;
const barWidth = 7;

/** The counts of days as stacked bars, as wide as the page allows. A table has the same figures. */
export function DayChart({
  label,
  days,
  series,
}: {
  label: string;
  days: readonly string[];
  series: readonly Series[];
}): ReactNode {
  const id = useId();
  const sums = days.map((_, day) => sum(series, ({ counts }) => counts[day]));
  const most = Math.max(1, ...sums);
  const [, top] = nice(0, most, 3);
  const lines = ticks(0, top, 3).filter((line) => Number.isInteger(line));
  const peak = sums.indexOf(most);
  const summary = `${label} per day. ${peak < 0 ? 'None.' : `Most: ${numberText(most)} on ${dayText(days[peak] ?? '')}.`}`;
  return (
    <figure className="day-chart">
      <ul className="legend">
        {series.map(({ name, look }) => (
          <li key={name}>
            <Swatch look={look} />
            {name}
          </li>
        ))}
      </ul>
      <div className="plot">
        {lines.map((line) => (
          <span key={line} className="tick" style={{ bottom: `${(100 * line) / top}%` }} aria-hidden="true">
            {shortNumber(line)}
          </span>
        ))}
        <svg viewBox={`0 0 ${days.length * slot} ${height}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          <defs>
            <Stripes id={id} />
          </defs>
          {lines.map((line) => (
            <line
              key={line}
              className="grid"
              x2={days.length * slot}
              y1={height * (1 - line / top)}
              y2={height * (1 - line / top)}
            />
          ))}
          {days.map((day, index) => (
            <g key={day} transform={`translate(${index * slot} 0)`}>
              <title>
                {[dayText(day), ...series.map(({ name, counts }) => `${name}: ${numberText(counts[index] ?? 0)}`)].join(
                  '\n',
                )}
              </title>
              <rect className="hover" width={slot} height={height} />
              {bars(series, index, top).map(({ look, y, size }) => (
                <rect
                  key={look}
                  className={look}
                  fill={look === 'part' ? `url(#${id})` : undefined}
                  x={(slot - barWidth) / 2}
                  width={barWidth}
                  y={y}
                  height={size}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <div className="days" aria-hidden="true">
        <span>{dayText(days[0] ?? '')}</span>
        <span>{dayText(days.at(-1) ?? '')}</span>
      </div>
    </figure>
  );
}

/** The parts of the bar of a day, the first one at the bottom. */
function bars(
  series: readonly Series[],
  day: number,
  top: number,
): { look: Series['look']; y: number; size: number }[] {
  let y = height;
  return series.map(({ look, counts }) => {
    const size = (height * (counts[day] ?? 0)) / top;
    y -= size;
    return { look, y, size };
  });
}

/** Across the bars: their width does not change the stripes. */
function Stripes({ id }: { id: string }): ReactNode {
  return (
    <pattern id={id} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect className="part-ground" width="4" height="4" />
      <rect className="part" width="4" height="2.5" />
    </pattern>
  );
}

function Swatch({ look }: Pick<Series, 'look'>): ReactNode {
  const id = useId();
  return (
    <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
      {look === 'part' && (
        <defs>
          <Stripes id={id} />
        </defs>
      )}
      <rect className={look} fill={look === 'part' ? `url(#${id})` : undefined} width="14" height="14" />
    </svg>
  );
}

const shortNumbers = new Intl.NumberFormat('en', { notation: 'compact' });
const shortNumber = (value: number): string => shortNumbers.format(value);

export interface Bar {
  name: ReactNode;
  key: string;
  count: number;
}

/** Counts as horizontal bars, each with its number. */
export function Bars({ label, bars: all }: { label: string; bars: readonly Bar[] }): ReactNode {
  const most = Math.max(1, ...all.map(({ count }) => count));
  return (
    <ul className="bars" aria-label={label}>
      {all.map(({ key, name, count }) => (
        <li key={key}>
          <span>{name}</span>
          <span className="number">{numberText(count)}</span>
          <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect className="whole" width={(100 * count) / most} height="1" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
