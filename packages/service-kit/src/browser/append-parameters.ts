/** Appends query parameters to a URL. The rest stays byte for byte: parsing and serializing would change some URLs. */
export function appendParameters(url: string, parameters: Record<string, string | string[] | undefined>): string {
  const [, before = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  const present = Object.entries(parameters).flatMap(([name, value = []]) =>
    [value].flat().map((each) => [name, each] as [string, string]),
  );
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&';
  return before + separator + new URLSearchParams(present).toString() + fragment;
}
