// The engines that the ranking benchmark compares. An engine is built from documents and returns the indexes of the 20
// best for a query.
import MiniSearch from 'minisearch';
import { IndexBuilder } from '../../dist/ranking/build-index.js';
import { fold, words } from '../../dist/ranking/words.js';
import { TermCache, weightedTerms } from '../../dist/ranking/document-terms.js';
import { isCommonTerm, termOf } from '../../dist/ranking/terms.js';

const limit = 20;

/** The index of this service. */
async function own(documents) {
  const builder = new IndexBuilder();
  for (const document of documents) await builder.add(document);
  const index = await builder.finish();
  return (query, near) => index.search(query, 0, limit, undefined, near).page;
}

/** MiniSearch as its documentation isPrefix: own tokenizer for accents, prefix and fuzzy search, boosted names. */
async function miniSearchPlain(documents) {
  const index = new MiniSearch({
    fields: ['name', 'aliases', 'addresses', 'affiliations'],
    processTerm: (term) => fold(term),
    searchOptions: { boost: { name: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
  });
  await index.addAllAsync(
    documents.map(({ name, aliases, addresses, affiliations }, id) => ({
      id,
      name,
      aliases: aliases.join(' '),
      addresses: addresses.map((address) => Object.values(address).flat().join(' ')).join(' '),
      affiliations: affiliations.join(' '),
    })),
    { chunkSize: 100 },
  );
  return (query) =>
    index
      .search(query)
      .slice(0, limit)
      .map(({ id }) => id);
}

/**
 * MiniSearch with what this service knows of the domain: its terms (short forms, plurals, states), its field weights,
 * common words that exclude nothing, nearby postal codes, and results with most of the words when none has all.
 */
async function miniSearchTuned(documents) {
  const reader = new TermCache();
  const empty = { name: '', aliases: [], addresses: [], affiliations: [] };
  const termsOf = (part) => [...weightedTerms({ ...empty, ...part }, reader).keys()];
  const index = new MiniSearch({
    fields: ['name', 'aliases', 'addresses', 'affiliations'],
    tokenize: (terms) => terms.split(' '),
    processTerm: (term) => term,
  });
  await index.addAllAsync(
    documents.map(({ name, aliases, addresses, affiliations }, id) => ({
      id,
      name: termsOf({ name }).join(' '),
      aliases: termsOf({ aliases }).join(' '),
      addresses: termsOf({ addresses }).join(' '),
      affiliations: termsOf({ affiliations }).join(' '),
    })),
    { chunkSize: 100 },
  );
  const options = {
    boost: { name: 1, aliases: 0.85, addresses: 0.7, affiliations: 0.4 },
    prefix: (term, position, terms) => term.length > 1 || position === terms.length - 1,
    fuzzy: (term) => (/\d/.test(term) || term.length < 4 ? false : term.length < 8 ? 1 : 2),
    weights: { prefix: 0.9, fuzzy: 0.45 },
    combineWith: 'OR',
  };
  const area = (term) => [
    { queries: [term.slice(0, 4)], prefix: true, fuzzy: false, boostTerm: () => 0.5 },
    { queries: [term.slice(0, 3)], prefix: true, fuzzy: false, boostTerm: () => 0.35 },
  ];
  // Fuzzy matches are looked for only when no document has every needed word, as in the index of this service.
  return (query) => {
    const terms = words(query).map(termOf);
    const areas = terms.filter((term) => /^\d{5}$/.test(term)).flatMap(area);
    const needed = terms.filter((term) => !isCommonTerm(term) && !/^\d{5}$/.test(term));
    const matched = ({ queryTerms }) => needed.filter((term) => queryTerms.includes(term)).length;
    for (const stage of [{ ...options, fuzzy: false }, options]) {
      const found = index.search({ queries: [...terms, ...areas], combineWith: 'OR' }, stage);
      const most = found.reduce((count, result) => Math.max(count, matched(result)), 0);
      if (stage === options || (found.length > 0 && most === needed.length))
        return found
          .filter((result) => matched(result) === most)
          .slice(0, limit)
          .map(({ id }) => id);
    }
  };
}

export const engines = { own, 'minisearch, plain': miniSearchPlain, 'minisearch, tuned': miniSearchTuned };
