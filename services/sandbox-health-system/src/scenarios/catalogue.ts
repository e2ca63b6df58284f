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
