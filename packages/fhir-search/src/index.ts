export * from './index-values';
export { indexValues } from './index/index-resource';
