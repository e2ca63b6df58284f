import { pageTexts } from './page-language';

/** Every text by the path of its keys. */
function textsOf(table: object, path = ''): [path: string, text: string][] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? textsOf(value, `${path}${key}.`) : [[path + key, String(value)]],
  );
}

describe('the texts of the pages', () => {
  const english = textsOf(pageTexts.en);
  const spanish = textsOf(pageTexts.es);
  const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w*\}/g))].sort();

  it('have the same keys in both languages', () => {
    expect(english.length).toBeGreaterThan(60);
    expect(spanish.map(([path]) => path).sort()).toEqual(english.map(([path]) => path).sort());
  });

  it('name the same things in both languages, and only things that are known', () => {
    const other = new Map(spanish);
    for (const [path, text] of english) {
      const names = placeholders(text);
      expect([path, placeholders(other.get(path) ?? '')]).toEqual([path, names]);
      const known = path.startsWith('link.') ? ['{app}', '{system}', '{account}'] : ['{app}', '{system}', '{wait}'];
      expect(known).toEqual(expect.arrayContaining(names));
    }
  });

  it('are not empty, and are translated, except for words that are the same', () => {
    const other = new Map(spanish);
    for (const [path, text] of english) {
      expect([path, text]).toEqual([path, expect.stringMatching(/^\S.*\S$/)]);
      expect([path, other.get(path)]).not.toEqual([path, text]);
    }
  });

  it('use a placeholder in no title, which is a text without markup', () => {
    for (const [path, text] of [...english, ...spanish])
      if (path.endsWith('.title')) expect([path, placeholders(text)]).toEqual([path, []]);
  });

  it('have no Spanish placeholder after a preposition that contracts with the article of its replacement', () => {
    expect(spanish.filter(([, text]) => /\b(a|de) \{system\}/i.test(text))).toEqual([]);
  });
});
