/** A code that can be searched for. */
export interface SearchedCode {
  system: string;
  code: string;
  /** The number of Observations of the record that have the code. */
  count: number;
}

/** A record that is stored for many users. */
export interface RecordTemplate {
  name: string;
  lines: string[];
  /** The type, id and code of each line, in the order of the lines. */
  resources: { type: string; id: string; code: SearchedCode | undefined }[];
  /** The codes of the Observations in descending order of frequency. */
  codes: SearchedCode[];
  /** Whether the resources are valid in their release, so that a client can create them. */
  valid: boolean;
}

interface Parsed {
  resourceType: string;
  id?: string;
  code?: { coding?: { system?: string; code?: string }[] };
}

/** @param lines the record of one patient as the lines of an NDJSON file */
export function recordTemplate(name: string, lines: string[], valid: boolean): RecordTemplate {
  const codes = new Map<string, SearchedCode>();
  const resources = lines.map((line) => {
    const { resourceType: type, id = '', code: concept } = JSON.parse(line) as Parsed;
    const coding = type === 'Observation' ? concept?.coding?.[0] : undefined;
    if (coding?.system === undefined || coding.code === undefined) return { type, id, code: undefined };
    const key = `${coding.system}|${coding.code}`;
    const code = codes.get(key) ?? { system: coding.system, code: coding.code, count: 0 };
    code.count++;
    codes.set(key, code);
    return { type, id, code };
  });
  return { name, lines, resources, codes: [...codes.values()].sort((a, b) => b.count - a.count), valid };
}
