import type { Scenario } from '../scenario';
import { withEntryTexts, withMember } from '../rewrite';

export const tenAPage: Scenario = {
  name: 'ten-a-page',
  area: 'size',
  does: 'Has at most ten entries on a page, whatever _count says.',
  pageSize: () => 10,
};

const padding = `"_implicitRules":{"extension":[{"url":"http://sandbox.example/padding","valueString":"${'x'.repeat(100_000)}"}]}`;

export const heavyPages: Scenario = {
  name: 'heavy-pages',
  area: 'size',
  does: 'Pads every resource to 100 KB, so that a page of 200 is a Bundle of 20 MB.',
  pageSize: () => 200,
  page: (page) => ({ ...page, entries: withEntryTexts(page.entries, (text) => withMember(text, padding)) }),
};
