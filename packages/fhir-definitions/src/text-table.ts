/** The rows of a derived table by section. A line `# Name` begins a section. */
export function readSections(table: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let rows: string[] = [];
  for (const line of table.split('\n')) {
    if (line.startsWith('# ')) {
      rows = [];
      sections.set(line.slice(2), rows);
    } else if (line !== '') {
      rows.push(line);
    }
  }
  return sections;
}
