/** An OpenAPI document with what the documents of the services have: references, alternatives, webhooks, limits. */
export const exampleDocument = {
  openapi: '3.1.0',
  info: { title: 'Visits', description: 'The visits of a patient, with `codes` & <tags>.', version: '1' },
  servers: [{ url: 'https://api.example.org/visits' }],
  security: [{ user_token: [] }],
  tags: [{ name: 'Visit types', description: 'Kinds of visits.' }],
  paths: {
    '/type/{id}': {
      get: {
        operationId: 'readType',
        summary: 'Read a type',
        tags: ['Visit types'],
        parameters: [
          { $ref: '#/components/parameters/Count' },
          { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a/b' },
        ],
        responses: {
          200: {
            description: 'The type.',
            headers: { ETag: { $ref: '#/components/headers/ETag' } },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/VisitType' },
                examples: { stored: { $ref: '#/components/examples/stored' } },
              },
            },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
      delete: {
        operationId: 'deleteType',
        summary: 'Delete a type',
        tags: ['Visit types'],
        security: [{ client_id: [], client_secret: [] }, {}],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a/b' }],
        responses: { 204: { description: 'It is deleted.' } },
      },
    },
    '/type': {
      post: {
        operationId: 'createType',
        summary: 'Create a type',
        description: 'Names are <unique>.',
        tags: ['Visit types'],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/VisitType' },
              example: { name: "Dentist's check", place: { room: 1 } },
            },
          },
        },
        responses: { 201: { description: 'The stored type.' } },
      },
    },
  },
  webhooks: {
    'type.created': {
      post: {
        operationId: 'typeCreated',
        summary: 'A type exists',
        tags: ['Events'],
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/VisitType' } } },
        },
        responses: { '2XX': { description: 'It is accepted.' } },
      },
    },
  },
  components: {
    schemas: {
      VisitType: {
        type: 'object',
        required: ['name'],
        properties: {
          place: { type: 'object', required: ['room'], properties: { room: { type: 'integer', minimum: 1 } } },
          name: { type: 'string', minLength: 1, maxLength: 80, description: 'Its name.' },
          follows: { anyOf: [{ $ref: '#/components/schemas/VisitType' }, { type: 'null' }] },
          period: { $ref: '#/components/schemas/Period' },
        },
      },
      Period: { type: 'object', properties: { start: { type: 'string', format: 'date-time' } } },
    },
    parameters: {
      Count: {
        name: '_count',
        in: 'query',
        description: 'How many. http://hl7.org/fhir/SearchParameter/Resource-count',
        schema: { type: 'integer', minimum: 0, maximum: 1000, default: 20 },
      },
    },
    headers: { ETag: { description: 'The version.', schema: { type: 'string' } } },
    examples: { stored: { summary: 'A type in the record', value: { name: 'Check-up' } } },
    responses: { NotFound: { description: 'There is no such type.' } },
    securitySchemes: {
      user_token: { type: 'http', scheme: 'bearer', description: 'The token of a user.' },
      client_id: { type: 'apiKey', in: 'header', name: 'client_id' },
      client_secret: { type: 'apiKey', in: 'header', name: 'client_secret' },
    },
  },
};
