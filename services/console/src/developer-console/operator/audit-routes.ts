import { auditState, auditVerification, auditVerificationLine } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import { jsonBody, refusal } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { commonOf, noOperator, operatorPath } from './operator-common';
import { sendLines } from './send-lines';

/** Whether the audit log is complete and unchanged. No answer has an event. */
export function serveOperatedAudit(api: Api, dependencies: Dependencies): void {
  const { audit } = dependencies.operator;
  const { reads } = commonOf(dependencies);

  api.route(
    {
      ...reads,
      path: operatorPath('audit'),
      operationId: 'operatorReadAudit',
      summary: 'The periodic verification, the newest checkpoints, and the processes that have recorded events',
      responses: { 200: { description: 'The state of now.', schema: auditState }, 404: noOperator },
    },
    ({ requestId }) => audit.state({ requestId }),
  );

  api.route(
    {
      ...reads,
      method: 'post',
      path: operatorPath('audit/verifications'),
      operationId: 'operatorVerifyAudit',
      summary: 'Detect changed, deleted and truncated events',
      description: 'Nothing is changed. It ends when the caller goes away.',
      audit: { kind: 'operator.request', action: 'E' },
      isSafe: true,
      body: auditVerification,
      bodyTypes: jsonBody,
      responses: {
        200: {
          description:
            'A line of JSON for each second of progress, for each of the first findings, and for the result.',
          schema: auditVerificationLine,
          contentType: 'application/x-ndjson',
        },
        404: noOperator,
        409: refusal(
          'It is being verified: the periodic verification, or that of an operator, is running.',
          'verification_running',
        ),
      },
    },
    ({ principal, body, requestId, response, audit: note }) => {
      note({ entities: [{ query: 'audit verify' }] });
      return sendLines(response, (signal) => audit.verify({ ...body, ...principal }, { requestId, signal }));
    },
  );
}
