import type { Scenario } from './scenario';

/** Every scenario, in the order of the field report. */
export const scenarios: Scenario[] = [];

/** The scenarios named by a path or behind a username, joined by `+` (which a query turns into a space). */
export function scenarioNames(text: string): string[] {
  return text.split(/[+\s]/).filter((name) => name !== '');
}

/** The first name that no scenario has. */
export function unknownScenario(names: string[]): string | undefined {
  return names.find((name) => !scenarios.some((scenario) => scenario.name === name));
}

/** The scenarios of these names, each once, in the order of the catalogue. */
export function scenariosNamed(names: string[]): Scenario[] {
  return scenarios.filter((scenario) => names.includes(scenario.name));
}
