import { problemReply } from '../../fhir/operation-outcome';
import type { FhirExchange, Scenario } from '../scenario';

/** A scenario that refuses the requests of some kind, whatever their type. */
function refusing(
  name: string,
  does: string,
  status: number,
  code: string,
  isRefused: (exchange: FhirExchange) => boolean,
): Scenario {
  return {
    name,
    area: 'everything refused',
    does,
    before: (exchange) =>
      isRefused(exchange) ? problemReply(exchange.release, status, code, 'this is not available') : undefined,
  };
}

const isReadOfPatient = ({ interaction, type }: FhirExchange): boolean => interaction === 'read' && type === 'Patient';
const isSearch = ({ interaction }: FhirExchange): boolean => interaction === 'search';

export const everythingForbidden = refusing(
  'everything-forbidden',
  'Answers 403 to every request, that of the Patient included.',
  403,
  'forbidden',
  () => true,
);

export const patientMissing = refusing(
  'patient-missing',
  'Answers 404 to reads of the Patient, and answers searches.',
  404,
  'not-found',
  isReadOfPatient,
);

export const patientForbidden = refusing(
  'patient-forbidden',
  'Answers 403 to reads of the Patient, and answers searches.',
  403,
  'forbidden',
  isReadOfPatient,
);

export const patientHtml: Scenario = {
  name: 'patient-html',
  area: 'everything refused',
  does: 'Answers 400 with a page of HTML to reads of the Patient, and answers searches.',
  before: (exchange) =>
    isReadOfPatient(exchange)
      ? { status: 400, headers: { 'Content-Type': 'text/html' }, body: '<html><body>Bad Request</body></html>' }
      : undefined,
};

export const searchesForbidden = refusing(
  'searches-forbidden',
  'Answers 403 to every search, and gives the Patient.',
  403,
  'forbidden',
  isSearch,
);

export const searchesInvalid = refusing(
  'searches-invalid',
  'Answers 400 to every search, whatever its parameters, and gives the Patient.',
  400,
  'invalid',
  isSearch,
);
