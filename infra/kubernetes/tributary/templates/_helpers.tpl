{{- define "tributary.suite" -}}
{{ (.Files.Get "files/suite.yaml" | fromYaml).services | toJson }}
{{- end }}

{{/* The settings of one service over the defaults. */}}
{{- define "tributary.settings" -}}
{{ mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (get .root.Values.services .name)) | toJson }}
{{- end }}

{{/* The labels that select pods: of all of the release, or with `name` of one component. */}}
{{- define "tributary.selector" -}}
app.kubernetes.io/name: tributary
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .name }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "tributary.labels" -}}
{{ include "tributary.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "tributary.image" -}}
{{- $image := .root.Values.image }}
{{- with get $image.digests .image }}
{{- printf "%s/%s@%s" $image.registry $.image . }}
{{- else }}
{{- printf "%s/%s:%s" $image.registry .image (default .root.Chart.AppVersion $image.tag) }}
{{- end }}
{{- end }}
