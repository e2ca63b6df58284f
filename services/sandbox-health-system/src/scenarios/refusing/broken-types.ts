import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

const area = 'one type broken';
const silentMs = 70_000;

function isBroken({ interaction, type }: { interaction: string; type: string }): boolean {
  return interaction === 'search' && type === 'Condition';
}

export const typeBroken: Scenario = {
  name: 'type-broken',
  area,
  does: 'Answers 500 to searches of Condition, every time.',
  before: (exchange) =>
    isBroken(exchange) ? problemReply(exchange.release, 500, 'exception', 'a resource cannot be rendered') : undefined,
};

export const patientBroken: Scenario = {
  name: 'patient-broken',
  area,
  does: 'Answers 500 to reads of the Patient, every time, and answers searches.',
  before: ({ interaction, type, release }) =>
    interaction === 'read' && type === 'Patient'
      ? problemReply(release, 500, 'exception', 'the patient cannot be rendered')
      : undefined,
};

export const typeHtml: Scenario = {
  name: 'type-html',
  area,
  does: 'Answers 200 with a page of HTML to searches of Condition, every time.',
  before: (exchange) =>
    isBroken(exchange)
      ? { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html><body>Please sign in</body></html>' }
      : undefined,
};

export const typeSilent: Scenario = {
  name: 'type-silent',
  area,
  does: 'Sends nothing for 70 s after a search of Condition, and closes the connection then.',
  delay: (exchange) => (isBroken(exchange) ? silentMs : 0),
  before: (exchange) => (isBroken(exchange) ? { status: 0, headers: {}, body: '' } : undefined),
};
