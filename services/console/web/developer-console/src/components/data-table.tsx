import { type KeyboardEvent, type ReactNode, useRef } from 'react';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** Left out where the page is narrow; the panel of the row has it. */
  isWideOnly?: boolean;
}

export interface DataTableProps<Row> {
  caption: string;
  /** The first one names the row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Opens the panel of a row. */
  open?: (row: Row) => void;
}

/** Rows of a list. The arrow keys move between those that can be opened. */
export function DataTable<Row>({ caption, columns, rows, keyOf, open }: DataTableProps<Row>): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    const buttons = [...(body.current?.querySelectorAll<HTMLElement>('.row-open') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
  };
  const contentOf = (row: Row, content: ReactNode): ReactNode =>
    open ? (
      <button type="button" className="row-open" onClick={() => open(row)}>
        {content}
      </button>
    ) : (
      content
    );
  return (
    // Where it is wider than the page, it scrolls, also by the keyboard.
    <div className="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={classOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={move}>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={open ? 'opens' : undefined}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.header} scope="row">
                    {contentOf(row, column.cell(row))}
                  </th>
                ) : (
                  <td key={column.header} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ isNumber, isWideOnly }: Column<Row>): string | undefined {
  return [isNumber && 'number', isWideOnly && 'wide-only'].filter(Boolean).join(' ') || undefined;
}
