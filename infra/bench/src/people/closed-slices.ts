/** A resource of a record with its references to other resources of the record. */
interface Member {
  key: string;
  line: string;
  references: string[];
}

/** The maximum factor by which referenced resources enlarge a slice. */
const tolerance = 1.15;

/**
 * Splits the record of a patient into records of about the given size. Each record contains the Patient and all
 * resources that its resources reference, so that every reference can be resolved.
 * @param lines the lines of an NDJSON file
 * @param size the number of resources per record
 */
export function closedSlices(lines: readonly string[], size: number): string[][] {
  const members = new Map(lines.map((line) => memberOf(line)).map((member) => [member.key, member]));
  const all = [...members.values()];
  const patient = all.find(({ key }) => key.startsWith('Patient/'));
  const slices: string[][] = [];
  let slice = new Set<Member>();
  for (const member of all) {
    if (slice.size === 0 && patient) slice = closure(patient, members, slice);
    const grown = closure(member, members, slice);
    if (grown.size > size * tolerance) continue;
    slice = grown;
    if (slice.size < size) continue;
    slices.push(linesOf(slice));
    slice = new Set();
  }
  if (slices.length === 0 && slice.size > 0) slices.push(linesOf(slice));
  return slices;
}

function memberOf(line: string): Member {
  const { resourceType, id } = JSON.parse(line) as { resourceType: string; id?: string };
  const references = [...line.matchAll(/"reference"\s*:\s*"([A-Z][A-Za-z]+\/[^"/]+)/g)].flatMap(([, key]) =>
    key === undefined ? [] : [key],
  );
  return { key: `${resourceType}/${id ?? ''}`, line, references };
}

/** Returns `before` with the member and all resources that it references, directly or indirectly. */
function closure(member: Member, members: ReadonlyMap<string, Member>, before: ReadonlySet<Member>): Set<Member> {
  const found = new Set(before);
  const open = [member];
  for (let next = open.pop(); next; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...next.references.flatMap((key) => members.get(key) ?? []));
  }
  return found;
}

const linesOf = (members: ReadonlySet<Member>): string[] => [...members].map(({ line }) => line);
