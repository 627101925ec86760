// Builds the plugin, for a developer with internet: ./gradlew buildPlugin, runIde, verifyPlugin.
// CI has no way to the repositories that this needs; see README.md for what it does instead.
import org.jetbrains.intellij.platform.gradle.IntelliJPlatformType
import org.jetbrains.kotlin.gradle.dsl.JvmTarget
import org.jetbrains.kotlin.gradle.dsl.KotlinVersion

plugins {
    kotlin("jvm") version "2.1.20"
    id("org.jetbrains.intellij.platform") version "2.7.2"
}

group = "dev.pillion"
version = providers.gradleProperty("pluginVersion").getOrElse("0.1.0")

repositories {
    mavenCentral()
    intellijPlatform { defaultRepositories() }
}

dependencies {
    intellijPlatform {
        create(IntelliJPlatformType.IntellijIdeaCommunity, "2024.2")
        pluginVerifier()
    }
}

sourceSets {
    main {
        kotlin.srcDirs("core/src", "platform/src", "../protocol")
        resources.srcDirs("resources")
    }
}

kotlin {
    jvmToolchain(21)
    compilerOptions {
        jvmTarget = JvmTarget.JVM_21
        // What the IDE of since-build brings along.
        apiVersion = KotlinVersion.KOTLIN_1_9
        freeCompilerArgs.add("-Xjvm-default=all")
    }
}

intellijPlatform {
    pluginConfiguration {
        ideaVersion {
            sinceBuild = "242"
            untilBuild = provider { null }
        }
    }
    pluginVerification {
        ides { recommended() }
    }
}

tasks {
    // The binary of this repository goes into the plugin, if it was built (make build).
    prepareSandbox {
        from("../../dist") {
            include("pillion", "pillion.exe")
            into("${pluginName.get()}/bin")
        }
    }
}
