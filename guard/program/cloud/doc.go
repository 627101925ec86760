// Package cloud knows what is changed in clouds and clusters, and stored there.
package cloud
