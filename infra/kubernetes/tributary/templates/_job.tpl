{{/* What exists before the rest of the release, in the order of the weights, and is replaced by the next release. */}}
{{- define "tributary.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation
{{- end }}

{{- define "tributary.job" }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .name }}
  labels: {{- include "tributary.labels" . | nindent 4 }}
  annotations: {{- include "tributary.hook" .weight | nindent 4 }}
spec:
  backoffLimit: {{ .root.Values.jobs.backoffLimit }}
  activeDeadlineSeconds: {{ .root.Values.jobs.activeDeadlineSeconds }}
  template: {{- include "tributary.pod" (merge (dict "pod" (dict "restartPolicy" "Never")) .) | nindent 4 }}
{{- end }}
