export * from './agents';
export * from './public-address';
