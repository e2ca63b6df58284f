import { attachments } from './attachments';
import { authorizationErrors } from './authorization-errors';
import { clientAuthentication } from './client-authentication';
import { discovery } from './discovery';
import { launchContext } from './launch-context';
import { malformedData } from './malformed-data';
import { outcomes } from './outcomes';
import { paging } from './paging';
import { privateHosts } from './private-hosts';
import { provenance } from './provenance';
import { referenceScenarios } from './references';
import { refusing } from './refusing';
import { requiredParameters } from './required-parameters';
import { scopes } from './scopes';
import { searching } from './searching';
import { throttlingScenarios } from './throttling';
import { tokens } from './tokens';
import { vendors } from './vendors';
import type { Scenario } from './scenario';

/** Every scenario. Of joined scenarios, the one that is first in this list is applied first. */
export const scenarios: Scenario[] = [
  ...discovery,
  ...clientAuthentication,
  ...scopes,
  ...authorizationErrors,
  ...launchContext,
  ...tokens,
  ...paging,
  ...searching,
  ...requiredParameters,
  ...provenance,
  ...vendors,
  ...refusing,
  ...throttlingScenarios,
  ...outcomes,
  ...referenceScenarios,
  ...attachments,
  ...privateHosts,
  ...malformedData,
];

/** The scenario names in a path or after a username, separated by `+` (which is decoded to a space in a query). */
export function scenarioNames(text: string): string[] {
  return text.split(/[+\s]/).filter((name) => name !== '');
}

/** The first unknown name; undefined when all are known. */
export function unknownScenario(names: string[]): string | undefined {
  return names.find((name) => !scenarios.some((scenario) => scenario.name === name));
}

/** The scenarios with these names, each once, in the order of the catalogue. */
export function scenariosNamed(names: string[]): Scenario[] {
  return scenarios.filter((scenario) => names.includes(scenario.name));
}

/** Those whose names, areas and descriptions have the most words of a search, with the same or another ending. */
export function scenariosAbout(search: string, among: Scenario[]): Scenario[] {
  const stems = wordsOf(search).map((word) => (word.length > 4 ? word.replace(/(ing|e?[sd]|e)$/, '') : word));
  const found = among.map((scenario) => {
    const words = wordsOf(`${scenario.name} ${scenario.area} ${scenario.description}`);
    return { scenario, hits: stems.filter((stem) => words.some((word) => word.startsWith(stem))).length };
  });
  const most = Math.max(...found.map(({ hits }) => hits));
  return found.filter(({ hits }) => hits > 0 && hits === most).map(({ scenario }) => scenario);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
