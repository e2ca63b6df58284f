import { type Figure, shareOfGoal } from './figure';
import { grouped } from './table';

const rowHeight = 22;
const labelWidth = 330;
const barWidth = 300;
const valueWidth = 130;
/** Figures that exceed their goals by more end here. */
const mostOfGoal = 1.5;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** An SVG with a bar for each figure that has a goal: its length is the figure as a share of the goal. */
export function renderChart(figures: readonly Figure[], about: string): string {
  const drawn = figures.flatMap((figure) => {
    const share = shareOfGoal(figure);
    return share === undefined ? [] : [{ figure, share }];
  });
  const [width, height] = [labelWidth + barWidth + valueWidth, (drawn.length + 3) * rowHeight];
  const goalAt = labelWidth + barWidth / mostOfGoal;
  const rows = drawn.map(({ figure, share }, index) => {
    const y = (index + 2) * rowHeight;
    const length = (Math.min(share, mostOfGoal) / mostOfGoal) * barWidth;
    return `<text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end">${escaped(figure.work)}</text><rect x="${labelWidth}" y="${y + 3}" width="${length.toFixed(1)}" height="16" fill="${share >= 1 ? '#2f7d5b' : '#c2701c'}"/><text x="${labelWidth + barWidth + 8}" y="${y + 15}">${escaped(`${grouped(figure.value)} ${figure.unit}`)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img" aria-label="Figures of the benchmark as shares of their goals">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="8" y="16">${escaped(about)}</text>
<text x="${goalAt}" y="${1.7 * rowHeight}" text-anchor="middle">goal</text>
${rows.join('\n')}
<line x1="${goalAt}" x2="${goalAt}" y1="${2 * rowHeight}" y2="${(drawn.length + 2) * rowHeight}" stroke="#333333"/>
</svg>
`;
}
